import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { commandKey } from './command-key.ts'
import { type KeyBinding, useKeyBindings } from './commands.ts'

const EVERYWHERE: KeyBinding[] = [
  { keys: [commandKey, 'K'], label: 'Search and commands' },
  { keys: ['?'], label: 'This help' },
  { keys: ['Esc'], label: 'Close what is open' },
]

const SHOW = 'millrace:keys'

export const showKeyHelp = (): void => void window.dispatchEvent(new Event(SHOW))

/** A key pressed while typing means the letter. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.role === 'textbox')
  )
}

export function KeyHelp() {
  const [opened, setOpened] = useState(false)
  const here = useKeyBindings()
  useEffect(() => {
    const show = () => setOpened(true)
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      setOpened(true)
    }
    window.addEventListener(SHOW, show)
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener(SHOW, show)
      window.removeEventListener('keydown', onKey)
    }
  }, [])
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      title="Keys"
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
