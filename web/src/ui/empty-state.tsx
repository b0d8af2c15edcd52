import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './empty-state.module.css'
import { GuideLink } from './text/guide-link.tsx'

interface EmptyStateProps {
  picture: ReactNode
  title: string
  /** One sentence that teaches. */
  children: ReactNode
  action?: ReactNode
  /** The page of the guide that says more. */
  guide?: string
}

export function EmptyState({ picture, title, children, action, guide }: EmptyStateProps) {
  return (
    <div className={classes.state}>
      <div className={classes.picture} aria-hidden="true">
        {picture}
      </div>
      <Title order={2} size="h1">
        {title}
      </Title>
      <div className={classes.text}>{children}</div>
      {action && <div className={classes.action}>{action}</div>}
      {guide && <GuideLink page={guide}>Read more in the guide</GuideLink>}
    </div>
  )
}
