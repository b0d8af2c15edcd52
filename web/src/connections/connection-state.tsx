// Whether a connection works, as far as anybody knows, and since when.
import { Text } from '@mantine/core'
import type { Connection } from '../api/api-types.ts'
import { StatusDot } from '../ui/status.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { shownState } from './shown-state.ts'
import { ExpiryBadge } from './tls/certificate-expiry.tsx'

export function ConnectionStateLine({ connection }: { connection: Connection }) {
  const { state, reason, lastTest } = connection
  return (
    <>
      <StatusDot status={shownState(connection)} />
      <div>
        <ExpiryBadge connection={connection} />
      </div>
      {reason && (
        <Text size="xs" c="dimmed" maw={320}>
          {reason}
        </Text>
      )}
      {state === 'ready' && lastTest && (
        <Text size="xs" c="dimmed">
          tested <RelativeTime at={lastTest.at} />
        </Text>
      )}
    </>
  )
}
