import type { Fifo } from '../base/fifo.ts'
import type { QueuedRun } from '../operations/ports/queue.ts'

/** The places of a flow with a limit. A run holds its place from start to end, also while it waits, unless for a callback. */
export interface LimitedFlow {
  holders: Set<string>
  line: Fifo<QueuedRun>
}
