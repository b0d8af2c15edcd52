// Asks once more beside the button, instead of covering the page.
import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { type ReactElement, type ReactNode, useState } from 'react'
import { ErrorNote } from './error-note.tsx'

interface ConfirmPopoverProps {
  title: string
  /** What it takes along, in a sentence or two. */
  children: ReactNode
  /** A verb: "Delete flow". */
  confirm: string
  onConfirm: () => Promise<unknown>
  danger?: boolean
  position?: 'bottom-start' | 'bottom-end'
  /** The button; `open` shows the question. */
  target: (open: () => void) => ReactElement
}

export function ConfirmPopover(props: ConfirmPopoverProps) {
  const { title, children, confirm, onConfirm, danger = true, position = 'bottom-end', target } = props
  const [opened, setOpened] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const show = () => {
    setError(null)
    setOpened(true)
  }
  const run = async () => {
    setBusy(true)
    try {
      await onConfirm()
      setOpened(false)
    } catch (caught) {
      setError(caught)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position={position}
      width={340}
      trapFocus
      returnFocus
      withinPortal
      withRoles={false}
    >
      <Popover.Target>{target(show)}</Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={title}>
        <Stack gap="xs">
          <Text fw={600}>{title}</Text>
          <Text size="sm" c="dimmed" component="div">
            {children}
          </Text>
          {error !== null && <ErrorNote error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setOpened(false)}>
              Keep
            </Button>
            <Button color={danger ? 'red' : undefined} loading={busy} onClick={run}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
