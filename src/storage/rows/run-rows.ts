// Converts rows of the run and step tables to the types of the engine and the operations.

import type { Claim, ClaimedRun, JournalEntry, RunStatus } from '../../engine/ports/run-journal.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import { parseJson } from '../../flow/parse-json.ts'
import type { RunRecord } from '../../operations/ports/runs.ts'
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
  webhook: WebhookData,
  claim: Claim,
  now: number,
  recorded: Pick<ClaimedRun, 'journal' | 'vars' | 'lastSeq'>,
): ClaimedRun => ({
  ...recorded,
  claim,
  id: row.id,
  flowId: row.flow_id,
  version: row.version,
  document: row.document,
  test: row.test === 1,
  hops: row.hops,
  replyStatus: row.reply_status,
  attempt: row.attempt,
  webhook,
  createdAt: row.created_at,
  startedAt: row.started_at ?? now,
  replayOf: row.replay_of,
})

export type RunSummaryRow = Omit<
  RunTable,
  'request' | 'raw_body' | 'sealed' | 'document' | 'hops' | 'reply_status' | 'epoch' | 'attempt' | 'resume_at'
>

export const toRunSummary = (row: RunSummaryRow): Omit<RunRecord, 'webhook'> => ({
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
})

export function fromJson(text: string | null): unknown {
  return text === null ? null : parseJson(text)
}
