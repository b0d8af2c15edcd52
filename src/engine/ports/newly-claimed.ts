import { BareObject } from '../../base/bare-object.ts'
import type { Claim, ClaimedRun, NewRun } from './run-journal.ts'

/** Returns the claimed form of a run that has not begun yet. */
export const newlyClaimed = (run: NewRun, claim: Claim, startedAt: number): ClaimedRun => ({
  ...run,
  claim,
  attempt: 1,
  startedAt,
  journal: [],
  vars: new BareObject(),
  lastSeq: 0,
})
