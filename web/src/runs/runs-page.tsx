// Every run, newest first, as they happen.
import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo } from 'react'
import type { RunSummary, ServerEvent } from '../api-types.ts'
import { LiveToggle, Unseen } from '../live/live-toggle.tsx'
import { useHeldScroll } from '../live/use-held-scroll.ts'
import { useLiveList } from '../live/use-live-list.ts'
import { queries, type RunFilter } from '../queries.ts'
import { usePageKeys } from '../shell/commands.ts'
import { isTyping } from '../shell/key-help.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { EmptyRuns, NoMatchingRuns } from './empty-runs.tsx'
import { laterRun, matchesFilter, type RunSearch, runFilter } from './model/run-filter.ts'
import { RunFilters } from './run-filters.tsx'
import { RunTable } from './run-table.tsx'
import classes from './runs-page.module.css'

const route = getRouteApi('/signed-in/runs')

const KEYS = [
  { keys: ['↑', '↓'], label: 'Next or previous run' },
  { keys: ['Enter'], label: 'Open the run' },
  { keys: ['→'], label: 'Actions for the run' },
]

export function RunsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  usePageKeys(KEYS)
  const setSearch = (next: RunSearch) => void navigate({ search: next, replace: true })
  return (
    <>
      <PageHeader title="Runs" />
      {/* Another filter is another list: it begins at its top. */}
      <RunList key={JSON.stringify(search)} search={search} onSearch={setSearch} />
    </>
  )
}

function RunList({ search, onSearch }: { search: RunSearch; onSearch: (search: RunSearch) => void }) {
  const filter = useMemo(() => runFilter(search, Date.now()), [search])
  const { list, rows, unseen, unseenIsLess, hold, follow } = useRuns(filter)
  const { ref, paused, setPaused, onScroll, showNewest } = useHeldScroll(hold, follow)
  useArrowInto(ref)
  const filtered = Object.values(search).some((value) => value !== undefined)
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <RunFilters search={search} onChange={onSearch} />
        <LiveToggle paused={paused} onChange={setPaused} />
      </div>
      <div className={classes.list} ref={ref} onScroll={onScroll}>
        {list.isError && (
          <div className={classes.note}>
            <ErrorNote
              title="The runs could not be loaded"
              error={list.error}
              onRetry={() => void list.refetch({ cancelRefetch: true })}
            />
          </div>
        )}
        {list.isPending && <Loading />}
        {list.isSuccess &&
          rows.length === 0 &&
          (filtered ? <NoMatchingRuns onClear={() => onSearch({})} /> : <EmptyRuns />)}
        {rows.length > 0 && (
          <RunTable
            runs={rows}
            older={{
              has: list.hasNextPage,
              loading: list.isFetchingNextPage,
              load: () => void (list.hasNextPage && !list.isFetchingNextPage && list.fetchNextPage()),
            }}
          />
        )}
      </div>
      <Unseen count={unseen} atLeast={unseenIsLess} one="run" many="runs" onShow={showNewest} />
    </div>
  )
}

function useRuns(filter: RunFilter) {
  const flows = useQuery(queries.flows)
  // The stream does not know the names.
  const names = useMemo(() => new Map(flows.data?.map(({ id, name }) => [id, name])), [flows.data])
  const live = useLiveList<RunSummary>({
    query: queries.runs(filter),
    itemOf: ({ type, data }: ServerEvent) =>
      type === 'run' ? { flowName: null, ...(data as Omit<RunSummary, 'flowName'>) } : null,
    matches: useCallback((run) => matchesFilter(filter, run), [filter]),
    later: laterWithName,
  })
  const rows = useMemo(
    () =>
      live.rows.map((run) =>
        run.flowName === null && names.has(run.flowId) ? { ...run, flowName: names.get(run.flowId)! } : run,
      ),
    [live.rows, names],
  )
  // A flow that was made since the names were read.
  const unknown = live.rows.find((run) => run.flowName === null && !names.has(run.flowId))?.flowId
  const { refetch } = flows
  useEffect(() => {
    if (unknown !== undefined) void refetch()
  }, [unknown, refetch])
  return { ...live, rows }
}

const laterWithName = (loaded: RunSummary, told: RunSummary): RunSummary => {
  const later = laterRun(loaded, told)
  return later.flowName === null ? { ...later, flowName: loaded.flowName } : later
}

function Loading() {
  return (
    <Stack gap={9} p={24} aria-label="Loading the runs" role="status">
      {Array.from({ length: 12 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={row} height={24} />
      ))}
    </Stack>
  )
}

/** The first arrow key leads into the list from wherever the page is. */
function useArrowInto(list: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' || event.defaultPrevented || isTyping(event.target)) return
      if (document.activeElement !== document.body && document.activeElement?.id !== 'work') return
      const first = list.current?.querySelector<HTMLElement>('tbody a')
      if (!first) return
      event.preventDefault()
      first.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [list])
}
