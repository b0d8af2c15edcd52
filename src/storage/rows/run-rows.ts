// Converts rows of the run and step tables to the types of the engine and the operations.

import type {
  Claim,
  ClaimedRun,
  JournalEntry,
  NewRun,
  RunEnd,
  RunParent,
  RunStartData,
  RunStatus,
  RunTrigger,
} from '../../engine/ports/run-journal.ts'
import { BY_DELIVERY, isHandler } from '../../engine/ports/run-journal.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { Labels } from '../../flow/triggers/labels.ts'
import type { OriginalRun, RunRecord, RunSummaryRecord } from '../../operations/ports/runs.ts'
import type { RunTable, StepTable } from './tables.ts'

export const toEntry = (row: StepTable): JournalEntry => ({
  path: row.path,
  id: row.id,
  kind: row.kind,
  seq: row.seq,
  status: row.status as JournalEntry['status'],
  attempt: row.attempt,
  attempts: fromJson(row.attempts) as JournalEntry['attempts'],
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  outcome: row.outcome as JournalEntry['outcome'],
  decision: fromJson(row.decision),
  resumeAt: row.resume_at,
  input: fromJson(row.input),
  output: fromJson(row.output),
  error: fromJson(row.error) as JournalEntry['error'],
  logs: fromJson(row.logs) as JournalEntry['logs'],
})

export const toClaimedRun = (
  row: RunTable,
  start: RunStartData,
  claim: Claim,
  now: number,
  recorded: Pick<ClaimedRun, 'journal' | 'vars' | 'lastSeq'>,
): ClaimedRun => ({
  ...recorded,
  ...start,
  claim,
  trigger: triggerOf(row),
  parent: parentOf(row),
  id: row.id,
  flowId: row.flow_id,
  version: row.version,
  document: row.document,
  test: row.test === 1,
  hops: row.hops,
  replyStatus: row.reply_status,
  attempt: row.attempt,
  createdAt: row.created_at,
  startedAt: row.started_at ?? now,
  replayOf: row.replay_of,
  ...(row.edited === 1 && { edited: true as const }),
  labels: labelsIn(row),
})

/** Returns a run that is to be repeated, and says if it has no data any more. */
export const toOriginal = ({ erased }: Pick<RunTable, 'erased'>, run: NewRun): OriginalRun =>
  erased === null ? run : { ...run, dataDeleted: true }

/** Returns a claimed run without what it began with and did, which cannot be read. */
export const toUnreadRun = (row: RunTable, claim: Claim, now: number): ClaimedRun =>
  toClaimedRun(row, { webhook: null, given: null }, claim, now, { journal: [], vars: {}, lastSeq: 0 })

export type RunSummaryRow = Omit<
  RunTable,
  | 'request'
  | 'raw_body'
  | 'sealed'
  | 'document'
  | 'hops'
  | 'reply_status'
  | 'epoch'
  | 'attempt'
  | 'resume_at'
  | 'failure'
>

export const toRunSummary = (row: RunSummaryRow): RunSummaryRecord => ({
  id: row.id,
  flowId: row.flow_id,
  version: row.version,
  status: row.status as RunStatus,
  test: row.test === 1,
  error: fromJson(row.error) as RunRecord['error'],
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  replayOf: row.replay_of,
  trigger: triggerOf(row),
  parent: parentOf(row),
  ...(row.edited === 1 && { edited: true as const }),
  labels: labelsIn(row),
  ...(row.erased !== null && { dataDeleted: true as const }),
})

/** The values of `erased`. A run that is marked shows its data to nobody any more. */
export const TO_ERASE = 0
export const ERASED = 1

/** The value of `test` of a failure handler: it is a part of another run, so lists and counts leave it out. */
export const IS_HANDLER = 2

export const testColumn = (run: Pick<ClaimedRun, 'test' | 'trigger'>): number =>
  isHandler(run) ? IS_HANDLER : run.test ? 1 : 0

/** Runs that a delivery started, which are most, have no trigger stored. */
const triggerOf = ({ trigger }: Pick<RunTable, 'trigger'>): RunTrigger =>
  trigger === null ? BY_DELIVERY : (parseJson(trigger) as RunTrigger)

export const triggerColumn = (trigger: RunTrigger): string | null =>
  trigger.kind === BY_DELIVERY.kind && !trigger.admitted ? null : JSON.stringify(trigger)

const parentOf = ({
  parent_run: run,
  parent_step: step,
  parent_waits: waits,
}: Pick<RunTable, 'parent_run' | 'parent_step' | 'parent_waits'>): RunParent | null =>
  run === null ? null : { run, step: step!, waits: waits === 1 }

/** Returns the labels of a run as they are stored. They hold no known secret: what evaluates them has hidden it. */
export const labelsColumn = ({ labels }: Pick<NewRun, 'labels'>): string | null =>
  labels ? JSON.stringify(labels) : null

export const labelsIn = ({ labels }: Pick<RunTable, 'labels'>): Labels | null =>
  labels === null ? null : (parseJson(labels) as Labels)

/** Returns the parent that the end of the run makes due. */
export const wakenBy = ({ parent }: Pick<ClaimedRun, 'parent'>): string | null => (parent?.waits ? parent.run : null)

/** Returns how a finished run ended. `reply`: the first reply of a step, with its true body; `assigned`: as they are shown. */
export function runEnd(
  run: Pick<RunTable, 'status' | 'error' | 'erased'> | undefined,
  reply: JournalEntry | undefined,
  assigned: readonly StepTable[],
): RunEnd {
  if (!run) return { status: 'cancelled', error: null, result: null }
  const status = run.status as RunEnd['status']
  if (status !== 'succeeded') return { status, error: fromJson(run.error) as RunEnd['error'], result: null }
  if (run.erased === ERASED) return { status, error: null, result: null }
  if (reply) return { status, error: null, result: reply.output }
  // A variable may derive from a secret, which only its own flow may use.
  const vars: Record<string, unknown> = Object.create(null)
  for (const step of assigned) Object.assign(vars, fromJson(step.output))
  return { status, error: null, result: vars }
}

export function fromJson(text: string | null): unknown {
  return text === null ? null : parseJson(text)
}
