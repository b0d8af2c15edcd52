// Converts rows of the run and step tables to the types of the engine and the operations.

import type {
  Claim,
  ClaimedRun,
  JournalEntry,
  RunParent,
  RunStartData,
  RunStatus,
  RunTrigger,
} from '../../engine/ports/run-journal.ts'
import { BY_DELIVERY } from '../../engine/ports/run-journal.ts'
import { parseJson } from '../../flow/parse-json.ts'
import type { RunRecord, RunSummaryRecord } from '../../operations/ports/runs.ts'
import type { RunTable, StepTable } from './tables.ts'

export const toEntry = (row: StepTable): JournalEntry => ({
  path: row.path,
  id: row.id,
  kind: row.kind,
  seq: row.seq,
  status: row.status as JournalEntry['status'],
  attempt: row.attempt,
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
})

export type RunSummaryRow = Omit<
  RunTable,
  'request' | 'raw_body' | 'sealed' | 'document' | 'hops' | 'reply_status' | 'epoch' | 'attempt' | 'resume_at'
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
})

/** Runs that a delivery started, which are most, have no trigger stored. */
const triggerOf = ({ trigger }: Pick<RunTable, 'trigger'>): RunTrigger =>
  trigger === null ? BY_DELIVERY : (parseJson(trigger) as RunTrigger)

export const triggerColumn = (trigger: RunTrigger): string | null =>
  trigger.kind === BY_DELIVERY.kind ? null : JSON.stringify(trigger)

const parentOf = ({
  parent_run: run,
  parent_step: step,
}: Pick<RunTable, 'parent_run' | 'parent_step'>): RunParent | null => (run === null ? null : { run, step: step! })

export function fromJson(text: string | null): unknown {
  return text === null ? null : parseJson(text)
}
