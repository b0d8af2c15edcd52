// The hold that this process has on a run, on PostgreSQL.
import type { Claim, RunProgress } from '../../engine/ports/run-journal.ts'

export interface PostgresClaim extends Claim {
  /** The flow whose durable keys the run uses. */
  flowId: string
  /** The run that waits for this one. */
  wakes: string | null
  /** The time, by this process's steady clock, of the latest question that the database answered with "the claim stands". */
  seenAt: number
  /** The start of a run that is not stored as begun: not yet, or never. */
  start?: RunBegun | null
}

/** A run that has begun before it is stored. */
export interface RunBegun {
  isSent: boolean
  /** What the run did before its start was sent, which is stored with it. */
  progress: RunProgress | null
  /** Resolves to whether the run is stored as one that has begun here. */
  stored: Promise<boolean>
}
