import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { messageOf } from './error-note.tsx'

export function notifyDone(message: string): void {
  notifications.show({ message, autoClose: 3500, withBorder: true })
}

/** For failures that have no place of their own on the page. */
export function notifyFailure(title: string, error: unknown): void {
  notifications.show({ title, message: messageOf(error), color: 'red', autoClose: 10_000, withBorder: true })
}

/** Done at once, and undone as easily: better than asking beforehand. */
export function notifyUndo(message: string, undo: () => void): void {
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap">
        {message}
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          Undo
        </Button>
      </Group>
    ),
    autoClose: 8000,
    withBorder: true,
  })
}
