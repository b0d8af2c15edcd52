// The head of a panel: what it is about, and how it went.
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './panel.module.css'

interface PanelHeadProps {
  icon: ReactNode
  title: ReactNode
  /** What kind of thing it is. */
  what?: string
  status?: ReactNode
  onClose?: () => void
}

export function PanelHead({ icon, title, what, status, onClose }: PanelHeadProps) {
  return (
    <header className={classes.head}>
      <span className={classes.icon}>{icon}</span>
      <h2 className={classes.title}>{title}</h2>
      {what && <span className={classes.what}>{what}</span>}
      <span className={classes.headEnd}>
        {status}
        {onClose && (
          <Tooltip label="Close">
            <ActionIcon size="sm" aria-label="Close the panel" onClick={onClose}>
              <IconX size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </span>
    </header>
  )
}
