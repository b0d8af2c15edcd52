// What runs the runs: the line that they wait in, in this process or among several.
import type { Claim, ClaimedRun, NewRun } from '../../engine/ports/run-journal.ts'

export interface QueuedRun {
  id: string
  flowId: string
  /** At most so many runs of its flow at once. */
  concurrency: number | null
  /** The run as it was just accepted, so that it need not be read back; null where it must be. */
  fresh: NewRun | null
  /** When its time had come: since then it is in line. */
  since: number
  /** This process holds it already. */
  claim?: Claim | null
}

export interface Queue {
  /** Runs taken on and not begun. */
  readonly size: number
  /** Since when the one that has waited longest is in line; null: nobody waits. */
  readonly oldestSince: number | null
  /** Whoever joins the line after so many more will wait for longer than its run takes; not said of a short line. */
  isSlow(joining: number): boolean
  add(run: QueuedRun): void
  /** The run ended otherwise, wherever it stood. */
  forget(run: { id: string; flowId: string }): void
  forgetAllOf(flowId: string): void
}

/** For what large runs bring into memory. */
export interface Room {
  bytes: number
  /** One of them, however large it is. */
  oneAtLeast: boolean
}

/** With the bytes that it took to read it; 0: few. */
export type TakenRun = ClaimedRun & { bytes: number }

/** Where processes that share the work find it, and find out which of them are alive. */
export interface DispatchStore {
  /** Takes over at most so many runs that nobody holds and whose time has come, large ones only as there is room for them. */
  take(worker: string, limit: number, room?: Room): Promise<TakenRun[]>
  /** Milliseconds until the next run's time comes. */
  nextDueIn(): Promise<number | null>
  /** Runs that nobody has begun, counted up to `most`. */
  waiting(most: number): Promise<number>
  /** Lets as many runs of the flow's line begin as its limit has room for; whether there were any. */
  admit(flowId: string): Promise<boolean>
  /** Flows with runs in line, each with the first of them. */
  lines(): Promise<{ flowId: string; firstRunId: string }[]>
  /** What a worker holds. */
  heldBy(worker: string): Promise<Claim[]>
  /** What it holds goes back in line. */
  putBack(worker: string, claims: readonly Claim[]): Promise<void>
  enlist(worker: string): Promise<void>
  /** false: it was taken for dead, and what it held is others' now. */
  beat(worker: string): Promise<boolean>
  /** How often each worker has given a sign of life. */
  beats(): Promise<Map<string, number>>
  /** Takes a worker off the list that has given no sign of life since. */
  strike(worker: string, beat: number): Promise<void>
  /** Whatever is held by none of the workers on the list goes back in line; the number of such runs. */
  freeOrphans(): Promise<number>
  /** The worker leaves, and what it holds goes back in line. */
  leave(worker: string): Promise<void>
}
