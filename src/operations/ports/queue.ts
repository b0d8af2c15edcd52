// The port to the queue of runs, in this process or shared by several.
import type { Claim, ClaimedRun, NewRun } from '../../engine/ports/run-journal.ts'

export interface QueuedRun {
  id: string
  flowId: string
  /** The most runs of its flow at the same time. */
  concurrency: number | null
  /** The run that was just accepted, which saves reading it back; null if it must be read. */
  fresh: NewRun | null
  /** The time at which the run became due and joined the line. */
  since: number
  /** Set if this process holds the run already. */
  claim?: Claim | null
  /** Whether a pause of its flow does not hold it back: it began before, or is a test. */
  exempt?: boolean
  /** Whether it was stored as one that a pause holds back. */
  held?: boolean | undefined
  /** Whether its sender waits for its end. */
  awaited?: boolean
}

export interface Queue {
  /** The number of runs that were accepted and have not begun, without those of paused flows. */
  readonly size: number
  /** The time at which the longest-waiting run joined the line; null if the line is empty. */
  readonly oldestSince: number | null
  /** Returns whether a run that joins after `joining` others waits longer than it takes; always false for a short line. */
  isSlow(joining: number): boolean
  /** Returns whether the run waits until its flow is resumed. */
  add(run: QueuedRun): boolean
  /** Takes up runs that have just become due. */
  wake(): void
  /** Takes up a run of this flow whose callback was just answered. */
  answered(flowId: string): void
  /** The number of runs that wait for their flow to be resumed. */
  readonly held: number
  heldOf(flowId: string): Promise<number>
  /** Returns those of a flow's runs that wait for it to be resumed. */
  heldAmong(flowId: string, runIds: readonly string[]): Promise<string[]>
  /** Holds back the runs of a flow that have not begun, in order. */
  pause(flowId: string): Promise<void>
  resume(flowId: string): Promise<void>
  /** Removes runs that have ended in another way, for example by a cancellation, from every line. */
  forget(...runs: readonly { id: string; flowId: string }[]): void
  forgetAllOf(flowId: string): void
}

/** What a byte of JSON takes in memory at most, once it is read. Nobody knows before: so what is being read counts with that. */
export const DENSEST = 50
/** The memory for all runs that are being read, and again for all bodies that are being received; one at least is read. */
export const READING = 65_000_000

/** The room in memory for large runs. */
export interface Room {
  /** The bytes of all that are taken. */
  bytes: number
  /** The bytes of one that is taken alone. */
  bytesOfOne: number
}

/** A claimed run with the bytes that it took to read it; 0 for a small one. */
export type TakenRun = ClaimedRun & { bytes: number }

/** The port to the runs that several processes share, and to the list of live processes. */
export interface DispatchStore {
  /** Claims at most `limit` due runs that no worker holds. Large ones are claimed only as far as there is `room`. */
  take(worker: string, limit: number, room?: Room): Promise<TakenRun[]>
  /** Returns the milliseconds until the next run is due. */
  nextDueIn(): Promise<number | null>
  /** Returns the number of runs that have not begun, counted up to `most`. */
  waiting(most: number): Promise<number>
  /** Lets as many runs of the flow's line begin as its limit allows. Returns whether there were any. */
  admit(flowId: string): Promise<boolean>
  /** Puts runs in line that gave their place back and have waited long enough. Returns their flows. */
  lineUp(): Promise<string[]>
  /** Returns the flows with runs in line, each with its first run. */
  lines(): Promise<{ flowId: string; firstRunId: string }[]>
  /** Holds back the runs of the flow that no worker has begun. */
  pause(flowId: string): Promise<void>
  /** Puts the held runs of the flow in line. */
  resume(flowId: string): Promise<void>
  /** Puts held runs in line whose flow is not paused any more: they were stored while it was being resumed. */
  resumeStranded(): Promise<void>
  /** Returns the number of runs of paused flows, counted up to `most`; of one flow, or of all. */
  held(most: number, flowId?: string): Promise<number>
  /** Returns those of the runs that a pause holds back. */
  heldAmong(runIds: readonly string[]): Promise<string[]>
  /** Returns the claims that a worker holds. */
  heldBy(worker: string): Promise<Claim[]>
  /** Puts runs that the worker holds back in line. */
  putBack(worker: string, claims: readonly Claim[]): Promise<void>
  enlist(worker: string): Promise<void>
  /** Returns false if the worker was declared dead and its runs belong to others now. */
  beat(worker: string): Promise<boolean>
  /** Returns how many signs of life each worker has sent. */
  beats(): Promise<Map<string, number>>
  /** Removes a worker from the list if it has sent no sign of life since `beat`. */
  strike(worker: string, beat: number): Promise<void>
  /** Puts runs that no listed worker holds back in line. Returns their number. */
  freeOrphans(): Promise<number>
  /** Removes the worker from the list and puts its runs back in line. */
  leave(worker: string): Promise<void>
}
