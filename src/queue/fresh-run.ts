import type { ClaimedRun } from '../engine/ports/run-journal.ts'
import type { QueuedRun } from '../operations/ports/queue.ts'

/** A run that nobody has worked on yet. */
export const startOf = ({ fresh, claim }: QueuedRun, startedAt: number): ClaimedRun => ({
  ...fresh!,
  claim: claim!,
  attempt: 1,
  startedAt,
  journal: [],
  vars: Object.create(null),
  lastSeq: 0,
})
