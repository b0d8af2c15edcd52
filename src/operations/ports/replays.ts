// The port to the jobs that replay many runs.
import type { NewRun, RunStatus } from '../../engine/ports/run-journal.ts'
import type { Labels } from '../../flow/triggers/labels.ts'
import type { Page, Paged } from './page.ts'
import type { ReplayedJournal } from './runs.ts'

export type ReplayJobState = 'running' | 'paused' | 'done' | 'cancelled'

/** Chooses runs. Test runs are never chosen. */
export interface RunSelection {
  flowId: string | null
  /** The group of failures. */
  failure: string | null
  statuses: readonly RunStatus[]
  since: number | null
  until: number | null
  /** Only runs that have all of these. */
  labels: Labels | null
  /** Whether replays are chosen too. */
  replays: boolean
}

export interface SelectedRun {
  id: string
  /** Whether a replay of it has succeeded. */
  replayed: boolean
}

export interface NewReplayJob {
  id: string
  createdAt: number
  createdBy: string
  /** What was asked for, as JSON. */
  request: string
  /** Replays per second. */
  pace: number
}

export interface ReplayJobRecord extends NewReplayJob {
  state: ReplayJobState
  total: number
  /** How many runs were left out because a replay of them has succeeded. */
  alreadyReplayed: number
  /** How many items have their replay, or could get none. */
  started: number
  /** How many replays succeeded. */
  done: number
  /** How many replays ended in another way, or could not be started. */
  failed: number
  /** The earliest time at which the next replays may start, by the pace. */
  nextAt: number
  finishedAt: number | null
}

/** The replay of one item of a job. */
export interface ReplayStart {
  jobId: string
  /** The run that is replayed. */
  runId: string
  run: NewRun
  journal: ReplayedJournal | null
  /** The most runs of its flow at the same time. */
  concurrency: number | null
}

export interface ReplayStore {
  /** Returns a page of the chosen runs in the order of their ids. */
  select(selection: RunSelection, after: string | null, limit: number): Promise<SelectedRun[]>
  /** Stores a job that does nothing yet and is not shown. */
  begin(job: NewReplayJob): Promise<void>
  addItems(jobId: string, runIds: readonly string[]): Promise<void>
  /** Lets the job begin: its items are fixed from now on. */
  release(jobId: string, total: number, alreadyReplayed: number): Promise<void>
  get(id: string): Promise<ReplayJobRecord | null>
  /** Returns jobs, newest first. */
  list(page: Page): Promise<Paged<ReplayJobRecord>>
  /** Returns false if the job is in none of the states `from`. */
  setState(id: string, from: readonly ReplayJobState[], to: ReplayJobState): Promise<boolean>
  /** Returns why replays could not be started, with how many. */
  problems(id: string, limit: number): Promise<{ message: string; count: number }[]>
  /** Returns jobs with work to do or replays under way, the oldest first. */
  active(limit: number): Promise<ReplayJobRecord[]>
  /** Returns whether this process may start replays now; then the next turn is `spacingMs` later. */
  takeTurn(id: string, now: number, spacingMs: number): Promise<boolean>
  /** Returns the runs that are to be replayed next. */
  waiting(id: string, limit: number): Promise<string[]>
  /**
   * Stores the replay, if its item still waits and the job runs, together with the mark that it has one: each item gets one
   * replay, whichever process is first or killed. Returns false if nothing was stored.
   */
  start(start: ReplayStart): Promise<boolean>
  /** Notes that a waiting item can have no replay. */
  refuse(id: string, runId: string, problem: string): Promise<void>
  /**
   * Counts replays that have ended, among at most `limit` of those that were under way after `after`. Returns where to go on;
   * null at the end.
   */
  settle(id: string, after: string | null, limit: number): Promise<{ after: string | null; ended: number }>
  /** Ends the job if nothing of it is left to do. Returns whether it has ended now. */
  finish(id: string, now: number): Promise<boolean>
  countActive(): Promise<number>
  /** Deletes at most `limit` items and jobs that ended before `before`, or never began. Returns their number. */
  deleteOlderThan(before: number, now: number, limit: number): Promise<number>
}
