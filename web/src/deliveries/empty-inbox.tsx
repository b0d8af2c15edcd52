import { Button } from '@mantine/core'
import { IconFilterOff, IconInbox } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { helloCurl } from '../api/delivery-curl.ts'
import { queries } from '../api/queries.ts'
import { CurlLine } from '../runs/list/empty-runs.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export function EmptyInbox() {
  const flows = useQuery(queries.flows)
  const published = flows.data?.find(({ status, webhook }) => status === 'published' && webhook)
  return (
    <EmptyState
      picture={<IconInbox size={40} stroke={1.2} />}
      title="No deliveries yet"
      action={
        published ? (
          <CurlLine line={helloCurl(published.webhook!.url)} />
        ) : (
          <Button component={Link} to="/flows">
            Go to the flows
          </Button>
        )
      }
    >
      This list shows every request to a webhook. Refused requests have the reason.
      {published ? ` Send one to ${published.name}:` : ' Publish a flow, and send a request to its webhook.'}
    </EmptyState>
  )
}

export function NoMatchingDeliveries({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      picture={<IconFilterOff size={40} stroke={1.2} />}
      title="No deliveries match"
      action={
        <Button variant="default" onClick={onClear}>
          Show every delivery
        </Button>
      }
    >
      There are no deliveries with this outcome and flow. New ones that match appear here automatically.
    </EmptyState>
  )
}
