// Over the inbox: the paused flows, whose deliveries are taken on and wait.
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { usePausedFlows } from '../flows/use-paused-flows.ts'
import { PausedNote } from '../ui/paused-note.tsx'

/** More than these would push the inbox down. */
const MOST_SHOWN = 5

/** `flow`: the one that the inbox is narrowed to. */
export function PausedFlows({ flow }: { flow: string | undefined }) {
  const paused = usePausedFlows().filter(({ id }) => flow === undefined || id === flow)
  if (paused.length === 0) return null
  return (
    <Group gap="xs 20px" px={24} py={8} role="note" aria-label="Paused flows">
      {paused.slice(0, MOST_SHOWN).map((one) => (
        <Group key={one.id} gap={6} wrap="nowrap">
          <Anchor component={Link} to={`/flows/${one.id}`} size="xs" truncate maw={220}>
            {one.name}
          </Anchor>
          <PausedNote paused={one.paused} />
        </Group>
      ))}
      {paused.length > MOST_SHOWN && (
        <Text size="xs" c="dimmed">
          and {paused.length - MOST_SHOWN} more
        </Text>
      )}
    </Group>
  )
}
