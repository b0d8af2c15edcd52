// The tables of failures and of the jobs that replay runs.

/** Failed runs with the same cause. */
export interface FailureTable {
  id: string
  flow_id: string
  step: string
  code: string
  status: number | null
  message: string
  count: number
  first_at: number
  last_at: number
  latest_run: string
  /** JSON: the newest versions. */
  versions: string
  /** JSON: pairs of an hour since 1970 and the failures in it. */
  hours: string
  state: string
  state_at: number
  muted_until: number | null
}

export const FAILURE_DELTA_KEYS = ['failure', 'hour', 'version'] as const

/** Failures that were counted and are not added up yet. */
export interface FailureDeltaTable {
  failure: string
  hour: number
  version: number
  flow_id: string
  step: string
  code: string
  status: number | null
  message: string
  count: number
  first_at: number
  last_at: number
  run_id: string
}

/** A job that replays many runs. */
export interface ReplayJobTable {
  id: string
  created_at: number
  created_by: string
  /** JSON: what was asked for. */
  request: string
  pace: number
  /** `making` while its items are being stored. */
  state: string
  total: number
  already_replayed: number
  started: number
  done: number
  failed: number
  next_at: number
  finished_at: number | null
}

/** A run that a job replays. */
export interface ReplayItemTable {
  job_id: string
  run_id: string
  state: string
  replay_id: string | null
  problem: string | null
}
