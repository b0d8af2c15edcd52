import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { commandKey } from '../command-key.ts'
import { type KeyBinding, useKeyBindings } from '../commands.ts'

const EVERYWHERE: KeyBinding[] = [
  { keys: [commandKey, 'K'], label: 'Search and commands' },
  { keys: ['?'], label: 'This help' },
  { keys: ['Esc'], label: 'Close the open panel or dialog' },
]

/** Shown each time that it is asked for. */
export function KeyHelp({ asked }: { asked: number }) {
  const [opened, setOpened] = useState(false)
  const here = useKeyBindings()
  useEffect(() => {
    if (asked > 0) setOpened(true)
  }, [asked])
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      title="Keyboard shortcuts"
      size="sm"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="lg">
        {here.length > 0 && <KeyList title="On this page" bindings={here} />}
        <KeyList title="Everywhere" bindings={EVERYWHERE} />
      </Stack>
    </Modal>
  )
}

function KeyList({ title, bindings }: { title: string; bindings: KeyBinding[] }) {
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed" fw={500}>
        {title}
      </Text>
      {bindings.map(({ keys, label }) => (
        <Group key={label} justify="space-between" wrap="nowrap">
          <Text size="sm">{label}</Text>
          <Group gap={4} wrap="nowrap">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  )
}
