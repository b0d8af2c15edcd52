// Callbacks for a run that the condition of its step did not take: the run waits on, and they are in the inbox.
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/api-client.ts'
import type { InboxEntry, Page, Run } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { formatMoment } from '../../ui/format.ts'
import classes from './callback-note.module.css'

const LOOK_EVERY_MS = 10_000
/** Of the flow, the latest: those before are in the inbox. */
const LOOKED_THROUGH = 100
const MOST_SHOWN = 5

export function FilteredCallbacks({ run, isOpen }: { run: Run; isOpen: boolean }) {
  const outcome = 'filtered'
  const filter = { flow: run.flowId, outcome } as const
  const deliveries = useQuery({
    queryKey: [...keys.deliveries, outcome, run.flowId],
    queryFn: ({ signal }) =>
      api.get<Page<InboxEntry>>('/deliveries', { query: { ...filter, limit: LOOKED_THROUGH }, signal }),
    refetchInterval: isOpen ? LOOK_EVERY_MS : false,
  })
  const shown = (deliveries.data?.items ?? []).filter(({ runId }) => runId === run.id).slice(0, MOST_SHOWN)
  if (shown.length === 0) return null
  return (
    <div>
      Came in, and did not count:
      <ul className={classes.filtered}>
        {shown.map(({ id, receivedAt }) => (
          <li key={id}>
            <Anchor
              size="xs"
              renderRoot={(props) => <Link {...props} to="/inbox" search={{ ...filter, delivery: id }} />}
            >
              {formatMoment(Date.parse(receivedAt))}
            </Anchor>
          </li>
        ))}
      </ul>
    </div>
  )
}
