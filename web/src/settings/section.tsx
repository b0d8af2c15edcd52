import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWindowTitle } from '../shell/page-header.tsx'
import classes from './section.module.css'

interface SectionProps {
  title: string
  /** What it is for, in a sentence. */
  lead?: ReactNode
  action?: ReactNode
  children: ReactNode
  wide?: boolean
}

/** One page of the settings. */
export function SettingsPage({ title, lead, action, children, wide = false }: SectionProps) {
  useWindowTitle(title)
  return (
    <div className={classes.page} data-wide={wide || undefined}>
      <div className={classes.head}>
        <div>
          <Title order={2} size="h1">
            {title}
          </Title>
          {lead && (
            <Text c="dimmed" mt={2} component="div" maw={640}>
              {lead}
            </Text>
          )}
        </div>
        {action}
      </div>
      {children}
    </div>
  )
}

export function SettingsPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h2" mb={10}>
        {title}
      </Title>
      {children}
    </section>
  )
}
