// Every run, newest first, as they happen.
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { Flow, RunSummary, ServerEvent } from '../../api/api-types.ts'
import { queries, type RunFilter } from '../../api/queries.ts'
import classes from '../../live/live-page.module.css'
import { LiveToggle, Unseen } from '../../live/live-toggle.tsx'
import { LoadingRows } from '../../live/loading-rows.tsx'
import { useArrowInto } from '../../live/use-arrow-into.ts'
import { useHeldScroll } from '../../live/use-held-scroll.ts'
import { useLiveList } from '../../live/use-live-list.ts'
import { keepingName, useNamedRows } from '../../live/use-named-rows.ts'
import { usePageKeys } from '../../shell/commands.ts'
import { PageHeader } from '../../shell/page-header.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { laterRun, matchesFilter, type RunSearch, runFilter } from '../model/run-filter.ts'
import { EmptyRuns, NoMatchingRuns } from './empty-runs.tsx'
import { RunFilters } from './run-filters.tsx'
import { RunTable } from './run-table.tsx'

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

interface RunListProps {
  search: RunSearch
  onSearch: (search: RunSearch) => void
  /** The list is that of one flow. */
  of?: Flow
}

export function RunList({ search, onSearch, of }: RunListProps) {
  const flowId = of?.id
  const filter = useMemo(
    () => runFilter(flowId === undefined ? search : { ...search, flow: flowId }, Date.now()),
    [search, flowId],
  )
  const { list, rows, unseen, unseenIsLess, hold, follow } = useRuns(filter)
  const { ref, paused, setPaused, onScroll, showNewest } = useHeldScroll(hold, follow)
  useArrowInto(ref)
  const filtered = Object.values(search).some((value) => value !== undefined)
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <RunFilters search={search} onChange={onSearch} withFlow={!of} />
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
        {list.isPending && <LoadingRows label="Loading the runs" />}
        {list.isSuccess &&
          rows.length === 0 &&
          (filtered ? <NoMatchingRuns onClear={() => onSearch({})} /> : <EmptyRuns of={of} />)}
        {rows.length > 0 && (
          <RunTable
            runs={rows}
            withFlow={!of}
            box={ref}
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
  const live = useLiveList<RunSummary>({
    query: queries.runs(filter),
    itemOf: ({ type, data }: ServerEvent) =>
      type === 'run' ? { flowName: null, ...(data as Omit<RunSummary, 'flowName'>) } : null,
    matches: useCallback((run) => matchesFilter(filter, run), [filter]),
    later: laterWithName,
  })
  return { ...live, rows: useNamedRows(live.rows) }
}

const laterWithName = (loaded: RunSummary, told: RunSummary): RunSummary => keepingName(loaded, laterRun(loaded, told))
