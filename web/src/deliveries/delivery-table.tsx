// The deliveries as a dense table; Enter or a click opens one beside it.
import { Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo, type RefObject } from 'react'
import type { InboxEntry } from '../api/api-types.ts'
import type { DeliveryFilter } from '../api/queries.ts'
import { followRow, moveRowFocus } from '../live/row-keys.ts'
import { SpacerRow } from '../live/spacer-row.tsx'
import table from '../live/table.module.css'
import { useRowWindow } from '../live/use-row-window.ts'
import { shortId } from '../runs/model/short-id.ts'
import { formatMoment, formatRelative } from '../ui/format.ts'
import { StatusDot, statusWord } from '../ui/status.tsx'
import { useNow } from '../ui/time.tsx'
import classes from './delivery-table.module.css'
import { callerGot, deliveryReason } from './model/delivery-words.ts'

interface DeliveryTableProps {
  deliveries: InboxEntry[]
  /** Without it the inbox is that of one flow. */
  withFlow: boolean
  /** What the table scrolls in. */
  box: RefObject<HTMLElement | null>
  selected: string | undefined
  search: DeliveryFilter
  older: { has: boolean; loading: boolean; load: () => void }
}

export function DeliveryTable({ deliveries, withFlow, box, selected, search, older }: DeliveryTableProps) {
  const now = useNow(1000)
  const { first, end, above, below } = useRowWindow(box, deliveries.length)
  const drawn = deliveries.slice(first, end)
  // Only senders that are known by name say what their events are.
  const withEvent = search.event !== undefined || deliveries.some(({ event }) => event !== null)
  const focusable = drawn.some(({ id }) => id === selected) ? selected : drawn[0]?.id
  return (
    <>
      <table
        className={table.table}
        aria-rowcount={deliveries.length + 1}
        onKeyDown={(event) => moveRowFocus(event, older.load)}
      >
        <thead>
          <tr>
            <th className={classes.outcomeColumn}>Outcome</th>
            <th className={classes.flowColumn}>{withFlow ? 'Flow' : 'Delivery'}</th>
            {withEvent && <th className={classes.eventColumn}>Event</th>}
            <th className={classes.receivedColumn}>Received</th>
            <th>Reason</th>
            <th className={classes.gotColumn}>Reply</th>
            <th className={classes.runColumn}>Run</th>
          </tr>
        </thead>
        <tbody>
          <SpacerRow height={above} />
          {drawn.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              withFlow={withFlow}
              withEvent={withEvent}
              received={formatRelative(Date.parse(delivery.receivedAt), now)}
              selected={delivery.id === selected}
              focusable={delivery.id === focusable}
              flow={search.flow}
              outcome={search.outcome}
              event={search.event}
              label={search.label}
            />
          ))}
          <SpacerRow height={below} />
        </tbody>
      </table>
      {older.has && (
        <div className={table.older}>
          <Button variant="default" loading={older.loading} onClick={older.load}>
            Older deliveries
          </Button>
        </div>
      )}
    </>
  )
}

interface DeliveryRowProps extends DeliveryFilter {
  delivery: InboxEntry
  withFlow: boolean
  withEvent: boolean
  /** As text, so that a row is drawn again only when what it says changes. */
  received: string
  selected: boolean
  focusable: boolean
}

const DeliveryRow = memo(function DeliveryRow(props: DeliveryRowProps) {
  const { delivery, withFlow, withEvent, received, selected, focusable, flow, outcome, event, label } = props
  const name = withFlow ? (delivery.flowName ?? 'Deleted flow') : shortId(delivery.id)
  const reason = deliveryReason(delivery)
  return (
    <tr className={table.row} data-selected={selected || undefined} data-delivery={delivery.id} onClick={followRow}>
      <td className={classes.outcomeCell}>
        <StatusDot status={delivery.outcome} />
      </td>
      <td className={classes.flowCell}>
        <Link
          // The inbox of all flows, or that of one.
          to="."
          search={{ flow, outcome, event, label, delivery: delivery.id }}
          replace
          className={table.link}
          data-row
          data-deleted={(withFlow && delivery.flowName === null) || undefined}
          tabIndex={focusable ? 0 : -1}
          aria-label={`${name}, ${statusWord(delivery.outcome)}, received ${received}`}
          aria-current={selected || undefined}
        >
          {name}
        </Link>
      </td>
      {withEvent && (
        <td className={classes.event}>
          {delivery.event !== null && (
            <code className={table.tip} title={delivery.event}>
              {delivery.event}
            </code>
          )}
        </td>
      )}
      <td className={`${table.dim} ${classes.receivedCell}`}>
        <time
          className={table.tip}
          dateTime={delivery.receivedAt}
          title={formatMoment(Date.parse(delivery.receivedAt))}
        >
          {received}
        </time>
      </td>
      <td className={classes.reason} data-bad={delivery.outcome === 'rejected' || undefined}>
        <span className={table.tip} title={reason}>
          {delivery.event !== null && <code className={classes.eventHere}>{delivery.event}</code>}
          {delivery.code && <code className={classes.code}>{delivery.code}</code>}
          {reason}
        </span>
      </td>
      <td className={`${table.dim} ${classes.got}`}>
        {delivery.status === null ? 'run’s reply' : callerGot(delivery)}
      </td>
      <td className={classes.run}>
        {delivery.runId && (
          <Anchor
            component={Link}
            to={`/runs/${delivery.runId}`}
            className={table.tip}
            size="sm"
            tabIndex={-1}
            data-menu
            aria-label={`Run that ${delivery.outcome === 'duplicate' ? 'the first delivery' : 'it'} started`}
          >
            {delivery.outcome === 'duplicate' ? 'First run' : 'Run'}
          </Anchor>
        )}
      </td>
    </tr>
  )
})
