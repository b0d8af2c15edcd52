import { Button } from '@mantine/core'
import { IconFilterOff, IconInbox } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Flow } from '../api/api-types.ts'
import { helloCurl } from '../api/delivery-curl.ts'
import { queries } from '../api/queries.ts'
import { CurlLine } from '../runs/list/empty-runs.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export function EmptyInbox({ of }: { of?: Flow | undefined }) {
  const flows = useQuery({ ...queries.flows, enabled: !of })
  const published = (of ? [of] : flows.data)?.find(({ status }) => status === 'published')
  return (
    <EmptyState
      picture={<IconInbox size={40} stroke={1.2} />}
      title="No deliveries yet"
      guide="webhooks#the-inbox"
      action={
        published ? (
          <CurlLine line={helloCurl(published.webhook.url)} />
        ) : (
          <Button component={Link} to="/flows">
            Go to flows
          </Button>
        )
      }
    >
      Every request to one of your webhooks appears here, with the reason if it was refused.
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
          Show all deliveries
        </Button>
      }
    >
      There are no deliveries with this outcome and flow. New ones that match appear here automatically.
    </EmptyState>
  )
}
