import type { ClaimedRun } from '../engine/ports/run-journal.ts'
import type { QueuedRun } from '../operations/ports/queue.ts'

/** Returns the claimed form of a run that has not begun yet. */
export const startOf = ({ fresh, claim }: QueuedRun, startedAt: number): ClaimedRun => ({
  ...fresh!,
  claim: claim!,
  attempt: 1,
  startedAt,
  journal: [],
  vars: Object.create(null),
  lastSeq: 0,
})
