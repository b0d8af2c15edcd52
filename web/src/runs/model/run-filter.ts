// Which runs the list shows, as it stands in the URL.
import type { RunStatus, RunSummary } from '../../api/api-types.ts'
import { hasLabels, type LabelFilter, labelFilter } from '../../api/label-filter.ts'
import type { RunFilter } from '../../api/queries.ts'

export const RUN_STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const
export const RANGES = ['1h', '24h', '7d'] as const
export type Range = (typeof RANGES)[number]

const RANGE_MS: Record<Range, number> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 }

export interface RunSearch {
  flow?: string | undefined
  status?: RunStatus | undefined
  /** Of the last hours or days; otherwise from `since` to `until`, both ISO 8601. */
  range?: Range | undefined
  since?: string | undefined
  until?: string | undefined
  label?: LabelFilter | undefined
}

/**
 * What is not understood is taken away, not only left out: the router would pass it on. A link that was cut short still shows
 * a list.
 */
export function runSearch({ flow, status, range, since, until, label }: Record<string, unknown>): RunSearch {
  const known = RANGES.find((each) => each === range)
  return {
    flow: typeof flow === 'string' && flow !== '' ? flow : undefined,
    status: RUN_STATUSES.find((each) => each === status),
    range: known,
    since: !known && isTime(since) ? since : undefined,
    until: !known && isTime(until) ? until : undefined,
    label: labelFilter(label),
  }
}

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))

/** With the range as a time. Cut to the minute, so that the same list keeps its name. */
export function runFilter({ flow, status, range, since, until, label }: RunSearch, now: number): RunFilter {
  const from = range ? new Date(Math.floor((now - RANGE_MS[range]) / 60_000) * 60_000).toISOString() : since
  return { flow, status, since: from, until, label }
}

export function matchesFilter(
  filter: RunFilter,
  run: Pick<RunSummary, 'flowId' | 'status' | 'createdAt' | 'labels'>,
): boolean {
  const created = Date.parse(run.createdAt)
  return (
    (filter.flow === undefined || run.flowId === filter.flow) &&
    (filter.status === undefined || run.status === filter.status) &&
    (filter.since === undefined || created >= Date.parse(filter.since)) &&
    (filter.until === undefined || created < Date.parse(filter.until)) &&
    hasLabels(run.labels, filter.label)
  )
}

const UNFINISHED: readonly string[] = ['queued', 'running', 'waiting']

export const isFinished = (status: string): boolean => !UNFINISHED.includes(status)

/** A finished run never changes; until then what was told last counts. */
export const laterRun = <T extends { status: string }>(loaded: T, told: T): T =>
  isFinished(loaded.status) && !isFinished(told.status) ? loaded : told
