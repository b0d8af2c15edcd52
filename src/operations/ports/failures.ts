// The port to the groups of failures: failed runs of the same flow, step, code, status and normalized message.
import type { Labels } from '../../flow/triggers/labels.ts'
import type { Page, Paged } from './page.ts'

export const FAILURE_STATES = ['open', 'resolved', 'muted'] as const
export type FailureState = (typeof FAILURE_STATES)[number]

/** The latest hours whose failures are counted one by one. */
export const KEPT_FAILURE_HOURS = 72
/** The newest versions that a group remembers. */
export const KEPT_FAILURE_VERSIONS = 20

export interface FailureRecord {
  id: string
  flowId: string
  /** The id of the step that failed; null if no step did. */
  step: string | null
  code: string
  /** The status of the reply that failed the step. */
  status: number | null
  /** Without numbers, ids and what else differs from run to run. */
  message: string
  count: number
  firstAt: number
  lastAt: number
  /** The newest versions it happened on. */
  versions: number[]
  /** Pairs of an hour since 1970 and the failures in it. */
  hours: [hour: number, count: number][]
  latestRun: string
  state: FailureState
  mutedUntil: number | null
}

export interface FailureFilter {
  flowId: string | null
  state: FailureState | null
  /** Only groups with a run that has all of these. */
  labels?: Labels | null
  /** Only of these flows. */
  among?: readonly string[] | null
}

export interface FailureStore {
  /** Adds up what was counted and is still apart. Reading comes after it, to miss nothing. */
  settle(): Promise<void>
  /** Returns groups, the one that failed last first. A group that is muted until before `now` is open. */
  list(filter: FailureFilter, page: Page, now: number): Promise<Paged<FailureRecord>>
  get(id: string, now: number): Promise<FailureRecord | null>
  /** Sets the state. Returns false if there is no such group. */
  setState(id: string, state: FailureState, at: number, mutedUntil: number | null): Promise<boolean>
  /** Returns how many groups are open, counted up to `most`. */
  countOpen(now: number, most: number): Promise<number>
  /** Deletes at most `limit` groups whose last failure was before `before`. Returns their number. */
  deleteOlderThan(before: number, limit: number): Promise<number>
}
