import { Button, Code } from '@mantine/core'
import { IconFilterOff, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Flow } from '../../api/api-types.ts'
import { helloCurl } from '../../api/delivery-curl.ts'
import { queries } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import classes from './empty-runs.module.css'

/** Says how the first run comes about, with the line to send. */
export function EmptyRuns({ of }: { of?: Flow | undefined }) {
  const flows = useQuery({ ...queries.flows, enabled: !of })
  const published = (of ? [of] : flows.data)?.find(({ status }) => status === 'published')
  const picture = <IconPlayerPlay size={40} stroke={1.2} />
  if (published)
    return (
      <EmptyState picture={picture} title="No runs yet" action={<CurlLine line={helloCurl(published.webhook.url)} />}>
        Each request to a flow's webhook starts a run, which appears here immediately. Send one to {published.name}:
      </EmptyState>
    )
  return (
    <EmptyState
      picture={picture}
      title="No runs yet"
      guide="quick-start"
      action={
        <Button component={Link} to="/flows">
          Go to flows
        </Button>
      }
    >
      Each request to the webhook of a published flow starts a run, which appears here immediately. Publish a flow
      first.
    </EmptyState>
  )
}

export function CurlLine({ line }: { line: string }) {
  return (
    <div className={classes.curl}>
      <Code className={classes.line}>{line}</Code>
      <CopyButton value={line} label="Copy" withLabel size="xs" />
    </div>
  )
}

export function NoMatchingRuns({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      picture={<IconFilterOff size={40} stroke={1.2} />}
      title="No runs match"
      action={
        <Button variant="default" onClick={onClear}>
          Show all runs
        </Button>
      }
    >
      There are no runs with this status, flow and time. New ones that match appear here automatically.
    </EmptyState>
  )
}
