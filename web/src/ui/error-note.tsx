import { Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-client.ts'
import classes from './error-note.module.css'

interface ErrorNoteProps {
  /** What was tried: "The flow could not be deleted". */
  title?: string
  error: unknown
  /** The next thing to do, where the error does not say it. */
  hint?: ReactNode
  onRetry?: () => void
}

/** The message holds only the first issue; here all of them follow. */
const FIRST_ISSUE = /; the first: .*$/s

/** What happened and what to do about it, at the place where it happened. */
export function ErrorNote({ title, error, hint, onRetry }: ErrorNoteProps) {
  const hasIssues = error instanceof ApiError && error.issues.length > 0
  return (
    <div className={classes.note} role="alert">
      <IconAlertTriangle size={16} className={classes.icon} aria-hidden="true" />
      <div className={classes.text}>
        {title && <Text fw={500}>{title}</Text>}
        <Text size="sm">{hasIssues ? messageOf(error).replace(FIRST_ISSUE, '.') : messageOf(error)}</Text>
        {hasIssues && (
          <ul className={classes.issues}>
            {error.issues.map(({ path, code, message }) => (
              <li key={`${path} ${code} ${message}`}>
                {path && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        )}
        {hint && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
        {onRetry && (
          <Group mt={8}>
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          </Group>
        )}
      </div>
    </div>
  )
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
