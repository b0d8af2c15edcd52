// The port to the store of schedules: when each flow runs next, and which of its planned times have come.
import type { NewRun, RunStatus } from '../../engine/ports/run-journal.ts'

/** What changes at each planned time. */
export interface ScheduleState {
  /** The next planned time; null if there is none. */
  nextAt: number | null
  /** That time with the jitter of the flow. */
  runsAt: number | null
  /** The planned time before it. */
  previousAt: number | null
  /** How many times were left out since the last run. */
  missed: number
}

export interface ScheduleRecord extends ScheduleState {
  /** The trigger of the live version, as JSON. */
  settings: string
  /** Planned times before this one passed while the flow was not published, or was paused. */
  since: number
}

/** A schedule whose next time has come. */
export interface DueSchedule extends ScheduleRecord {
  flowId: string
  version: number
  nextAt: number
  runsAt: number
}

/** A planned time that has come; `run` is null if the run before it was still under way. */
export interface Occurrence {
  at: number
  run: NewRun | null
}

/** The times of a flow that have come, and what its schedule becomes. */
export interface Firing {
  flowId: string
  version: number
  /** The next planned time by which the schedule is recognized: another process may have been faster. */
  at: number
  becomes: ScheduleState
  occurrences: readonly Occurrence[]
  /** The most runs of the flow at the same time. */
  concurrency: number | null
}

/** Returns the schedule of a version that goes live, from that of the version before and the last time that has come. */
export type PlanSchedule = (held: ScheduleRecord | null, lastAt: number | null) => ScheduleRecord

export interface ScheduleStore {
  /** Returns schedules of flows that are not paused: those due, at most `limit`, and when the next one is, by one clock. */
  due(limit: number): Promise<{ now: number; schedules: DueSchedule[]; nextAt: number | null }>
  /** Stores the runs with their occurrences and moves the schedule on, all or nothing. Returns false if it has moved already. */
  fire(firing: Firing): Promise<boolean>
  /** Returns whether the latest run that the schedule started has not ended. */
  isUnderWay(flowId: string): Promise<boolean>
  get(flowId: string): Promise<(ScheduleRecord & { paused: boolean }) | null>
  /** Returns the latest planned times that have come. */
  last(flowId: string, limit: number): Promise<{ at: number; runId: string | null; status: RunStatus | null }[]>
}
