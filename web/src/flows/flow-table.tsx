// The flows as a table that grows as it is scrolled.
import { Button, Group, Text, UnstyledButton } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { IconArrowDown } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { startTransition, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { FlowStats, FlowSummary } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { useEvents } from '../api/use-events.ts'
import { formatRelative, plural } from '../ui/format.ts'
import { useNow } from '../ui/time.tsx'
import { FlowFilters } from './flow-filters.tsx'
import { type FlowListState, type FlowSort, type ListedFlow, listFlows } from './flow-list.ts'
import { FlowRow } from './flow-row.tsx'
import classes from './flows-page.module.css'

const route = getRouteApi('/signed-in/flows')
/** As many as a screen shows: the first rows are there sooner, and the next ones follow by themselves. */
const PAGE = 20

export function FlowTable({ flows }: { flows: FlowSummary[] }) {
  const state = route.useSearch()
  const navigate = route.useNavigate()
  const set = useCallback(
    (change: FlowListState) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  )
  // Rows are drawn in short turns, between which the page answers.
  const stats = useDeferredValue(useFlowStats())
  const [text, setText] = useState(state.q ?? '')
  const q = useDeferredValue(text)
  const listed = useMemo(() => listFlows(flows, stats, { ...state, q }), [flows, stats, state, q])
  const [shown, setShown] = useState(PAGE)
  const showTag = useCallback((tag: string) => set({ tag }), [set])
  const showMore = useCallback(() => startTransition(() => setShown((before) => before + PAGE)), [])
  return (
    <>
      <FlowFilters flows={flows} state={state} text={text} onText={setText} onChange={set} />
      {listed.length === 0 ? (
        <Text c="dimmed" py="xl" ta="center">
          No flow matches. <Link to="/flows">Show all</Link>
        </Text>
      ) : (
        <div className={classes.frame}>
          <table className={classes.table}>
            <thead>
              <tr>
                <SortedTh sort="name" label="Name" state={state} onSort={set} />
                <th>Published</th>
                <SortedTh sort="run" label="Last run" state={state} onSort={set} />
                <SortedTh sort="traffic" label="Last 24 hours" state={state} onSort={set} />
                <SortedTh sort="changed" label="Changed" state={state} onSort={set} className={classes.changed} />
                <th aria-label="More" />
              </tr>
            </thead>
            <tbody>
              <Rows listed={listed} shown={shown} onTag={showTag} />
            </tbody>
          </table>
        </div>
      )}
      {listed.length > shown && <More left={listed.length - shown} onMore={showMore} />}
    </>
  )
}

interface RowsProps {
  listed: ListedFlow[]
  shown: number
  onTag: (tag: string) => void
}

function Rows({ listed, shown, onTag }: RowsProps) {
  const now = useNow(1000)
  const mayWrite = useMay('flows:write')
  const since = (at: string) => formatRelative(Date.parse(at), now)
  return listed
    .slice(0, shown)
    .map(({ flow, stats }) => (
      <FlowRow
        key={flow.id}
        flow={flow}
        stats={stats}
        ran={stats?.lastRun ? since(stats.lastRun.createdAt) : null}
        changed={since(flow.updatedAt)}
        mayWrite={mayWrite}
        onTag={onTag}
      />
    ))
}

/** Shows more when it comes into view; a button for those who do not scroll. */
function More({ left, onMore }: { left: number; onMore: () => void }) {
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: '600px' })
  const inView = entry?.isIntersecting ?? false
  useEffect(() => {
    // While it stays in view, each page is followed by the next.
    if (inView && left > 0) onMore()
  }, [inView, onMore, left])
  return (
    <Group ref={ref} justify="center" mt="md">
      <Button variant="default" onClick={onMore}>
        Show more: {plural(left, 'flow')} left
      </Button>
    </Group>
  )
}

interface SortedThProps {
  sort: FlowSort
  label: string
  state: FlowListState
  onSort: (change: FlowListState) => void
  className?: string
}

function SortedTh({ sort, label, state, onSort, className }: SortedThProps) {
  const active = (state.sort ?? 'changed') === sort
  return (
    <th className={className} aria-sort={active ? (sort === 'name' ? 'ascending' : 'descending') : undefined}>
      <UnstyledButton className={classes.sort} data-active={active || undefined} onClick={() => onSort({ sort })}>
        {label}
        <IconArrowDown size={12} aria-hidden="true" className={classes.arrow} data-up={sort === 'name' || undefined} />
      </UnstyledButton>
    </th>
  )
}

const REFRESH_MS = 2000

const NO_STATS: FlowStats[] = []

/** Fresh while runs come in, but not asked for at each of many. */
function useFlowStats() {
  const queryClient = useQueryClient()
  const waiting = useRef(false)
  useEvents('/events', ({ type }) => {
    if (type !== 'run' || waiting.current) return
    waiting.current = true
    setTimeout(() => {
      waiting.current = false
      void queryClient.invalidateQueries({ queryKey: keys.flowStats })
    }, REFRESH_MS)
  })
  return useQuery(queries.flowStats).data ?? NO_STATS
}
