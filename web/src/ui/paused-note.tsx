// Says that a flow is paused, and how many runs wait for it to be resumed.
import { Text } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'

export function PausedNote({ paused: { since, waiting } }: { paused: { since: string; waiting: number } }) {
  return (
    <Text
      component="span"
      size="xs"
      title={`Paused since ${new Date(since).toLocaleString('en')}`}
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4, whiteSpace: 'nowrap' }}
    >
      <IconPlayerPause size={13} aria-hidden="true" />
      paused, {waiting.toLocaleString('en')} waiting
    </Text>
  )
}
