// What came to the webhooks of all flows: taken or refused, with the reason.
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { Flow, InboxEntry, ServerEvent } from '../api/api-types.ts'
import { type DeliveryFilter, queries } from '../api/queries.ts'
import classes from '../live/live-page.module.css'
import { LiveToggle, Unseen } from '../live/live-toggle.tsx'
import { LoadingRows } from '../live/loading-rows.tsx'
import { useArrowInto } from '../live/use-arrow-into.ts'
import { useHeldScroll } from '../live/use-held-scroll.ts'
import { useLiveList } from '../live/use-live-list.ts'
import { keepingName, useNamedRows } from '../live/use-named-rows.ts'
import { usePageKeys } from '../shell/commands.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { PanelSplit } from '../ui/panel-split.tsx'
import { DeliveryPanel } from './delivery-panel.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { EmptyInbox, NoMatchingDeliveries } from './empty-inbox.tsx'
import { InboxFilters } from './inbox-filters.tsx'
import { type InboxSearch, matchesDelivery } from './model/delivery-filter.ts'
import { PausedFlows } from './paused-flows.tsx'

const route = getRouteApi('/signed-in/inbox')

const KEYS = [
  { keys: ['↑', '↓'], label: 'Next or previous delivery' },
  { keys: ['Enter'], label: 'Open the delivery' },
  { keys: ['Esc'], label: 'Close the panel' },
]

export function InboxPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader title="Inbox" />
      <Inbox search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />
    </>
  )
}

interface InboxProps {
  search: InboxSearch
  onSearch: (search: InboxSearch) => void
  /** The inbox is that of one flow. */
  of?: Flow
}

export function Inbox({ search: { delivery, flow, outcome, event, label }, onSearch: go, of }: InboxProps) {
  usePageKeys(KEYS)
  return (
    <PanelSplit
      name="inbox-panel"
      side="right"
      initial={480}
      least={340}
      leastRest={420}
      narrow="over"
      label="Selected delivery"
      panel={
        delivery === undefined ? null : (
          <DeliveryPanel key={delivery} id={delivery} onClose={() => go({ flow, outcome, event, label })} />
        )
      }
    >
      {/* Another filter is another list: it begins at its top. */}
      <DeliveryList
        key={JSON.stringify({ flow, outcome, event, label })}
        flow={flow}
        outcome={outcome}
        event={event}
        label={label}
        of={of}
        selected={delivery}
        onFilter={(next) => go({ ...next, delivery })}
        onClose={() => go({ flow, outcome, event, label })}
      />
    </PanelSplit>
  )
}

interface DeliveryListProps extends DeliveryFilter {
  of: Flow | undefined
  selected: string | undefined
  onFilter: (filter: DeliveryFilter) => void
  onClose: () => void
}

function DeliveryList({ flow, outcome, event, label, of, selected, onFilter, onClose }: DeliveryListProps) {
  const { list, rows, unseen, unseenIsLess, hold, follow } = useDeliveries({
    flow: of?.id ?? flow,
    outcome,
    event,
    label,
  })
  const { ref, paused, setPaused, onScroll, showNewest } = useHeldScroll(hold, follow)
  useArrowInto(ref)
  const filtered = [flow, outcome, event, label].some((part) => part !== undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the panel from anywhere in the list
    <div className={classes.page} onKeyDown={(event) => event.key === 'Escape' && selected && onClose()}>
      <div className={classes.bar}>
        <InboxFilters flow={flow} outcome={outcome} event={event} label={label} onChange={onFilter} withFlow={!of} />
        <LiveToggle paused={paused} onChange={setPaused} />
      </div>
      <PausedFlows flow={flow} />
      <div className={classes.list} ref={ref} onScroll={onScroll}>
        {list.isError && (
          <div className={classes.note}>
            <ErrorNote
              title="The deliveries could not be loaded"
              error={list.error}
              onRetry={() => void list.refetch({ cancelRefetch: true })}
            />
          </div>
        )}
        {list.isPending && <LoadingRows label="Loading the deliveries" />}
        {list.isSuccess &&
          rows.length === 0 &&
          (filtered ? <NoMatchingDeliveries onClear={() => onFilter({})} /> : <EmptyInbox of={of} />)}
        {rows.length > 0 && (
          <DeliveryTable
            deliveries={rows}
            withFlow={!of}
            box={ref}
            selected={selected}
            search={{ flow, outcome, event, label }}
            older={{
              has: list.hasNextPage,
              loading: list.isFetchingNextPage,
              load: () => void (list.hasNextPage && !list.isFetchingNextPage && list.fetchNextPage()),
            }}
          />
        )}
      </div>
      <Unseen count={unseen} atLeast={unseenIsLess} one="delivery" many="deliveries" onShow={showNewest} />
    </div>
  )
}

/** One that is told of says its labels. */
type ToldDelivery = InboxEntry & { labels?: Record<string, string> | null | undefined }

/** What was read with the filter of the list stays in it. */
const laterDelivery = (loaded: ToldDelivery, told: ToldDelivery): ToldDelivery => ({
  ...keepingName(loaded, told),
  labels: loaded.labels,
})

function useDeliveries({ flow, outcome, event, label }: DeliveryFilter) {
  const filter = useMemo(() => ({ flow, outcome, event, label }), [flow, outcome, event, label])
  const live = useLiveList<ToldDelivery>({
    query: queries.deliveries(filter),
    itemOf: ({ type, data }: ServerEvent) =>
      type === 'delivery' ? { flowName: null, labels: null, ...(data as Omit<InboxEntry, 'flowName'>) } : null,
    matches: useCallback((delivery) => matchesDelivery(filter, delivery), [filter]),
    later: laterDelivery,
  })
  return { ...live, rows: useNamedRows(live.rows) }
}
