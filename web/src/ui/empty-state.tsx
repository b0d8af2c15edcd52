import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  picture: ReactNode
  title: string
  /** One sentence that teaches. */
  children: ReactNode
  action?: ReactNode
}

export function EmptyState({ picture, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <div style={{ color: 'var(--mr-accent)' }} aria-hidden="true">
        {picture}
      </div>
      <Title order={2}>{title}</Title>
      <Text size="sm" c="dimmed" maw={440} style={{ textWrap: 'pretty' }}>
        {children}
      </Text>
      {action}
    </Stack>
  )
}
