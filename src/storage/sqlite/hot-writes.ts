// Describes the writes of the hot path on SQLite as plain data, so that a thread can do them.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { isHandler, type JournalEntry, type NewRun, type RunProgress } from '../../engine/ports/run-journal.ts'
import type { FailedRun } from '../rows/failures/causes.ts'
import { type Counted, countedEnd, NO_BUCKET, NO_CODE } from '../rows/flow-counts.ts'
import type { sealedStartTexts } from '../rows/request-columns.ts'
import { labelsColumn, testColumn, triggerColumn } from '../rows/run-rows.ts'
import type { stepColumns } from '../rows/step-columns.ts'
import type { FlowCounters } from './flow-counters.ts'

const IS_WAITING = `status = 'waiting' AND (resume_at IS NULL OR resume_at > ?1)`

/** Bodies arrive as text, and are stored as its bytes. */
const STATEMENTS = {
  insertRun: `INSERT INTO run (id, flow_id, version, document, status, test, epoch, attempt, hops, reply_status, request, raw_body, created_at, replay_of, sealed, trigger, parent_run, parent_step, parent_waits, labels)
    VALUES (?, ?, ?, ?, 'queued', ?, 0, 1, ?, ?, ?, CAST(? AS BLOB), ?, ?, ?, ?, ?, ?, ?, ?)`,
  takeKey: `INSERT INTO dedupe (flow_id, key, run_id, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (flow_id, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at WHERE dedupe.expires_at <= ?`,
  insertDelivery: `INSERT INTO delivery (id, flow_id, outcome, code, message, status, run_id, request, raw_body, received_at, body_kept, sealed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS BLOB), ?, ?, ?)`,
  updateRun: `UPDATE run SET epoch = ?, status = ?, started_at = ?, finished_at = ?, resume_at = ?, error = ?
    WHERE id = ? AND epoch = ? AND status IN ('queued', 'running', 'waiting')`,
  setFailure: 'UPDATE run SET failure = ? WHERE id = ?',
  moveSchedule: `UPDATE schedule SET next_at = ?, runs_at = ?, previous_at = ?, missed = ? WHERE flow_id = ? AND version = ?
    AND next_at = ? AND NOT EXISTS (SELECT 1 FROM flow WHERE id = flow_id AND paused_at IS NOT NULL)`,
  insertOccurrence: 'INSERT INTO occurrence (flow_id, at, run_id) VALUES (?, ?, ?)',
  takeItem: `UPDATE replay_item SET state = 'started', replay_id = ? WHERE job_id = ? AND run_id = ? AND state = 'waiting'
    AND EXISTS (SELECT 1 FROM replay_job WHERE id = job_id AND state = 'running')`,
  countItem: 'UPDATE replay_job SET started = started + 1 WHERE id = ?',
  setEdited: 'UPDATE run SET edited = 1 WHERE id = ?',
  wakeParent: `UPDATE run SET resume_at = ?1 WHERE id = ?2 AND ${IS_WAITING}`,
  wakeIfEnded: `UPDATE run SET resume_at = ?1 WHERE id = ?2 AND ${IS_WAITING} AND EXISTS (SELECT 1 FROM run AS child
    WHERE child.id IN (SELECT value FROM json_each(?3)) AND child.finished_at IS NOT NULL)`,
  insertAlertEvent: 'INSERT INTO alert_event (id, kind, flow_id, run_id, at, code) VALUES (?1, ?2, ?3, ?1, ?4, ?5)',
  putStep: `INSERT OR REPLACE INTO step (run_id, path, id, kind, seq, status, attempt, started_at, finished_at, outcome,
    decision, resume_at, input, output, error, logs, sealed, attempts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
}

const INSERT_LABELS = 'INSERT INTO run_label (value, name, run_id) SELECT value, key, ?2 FROM json_each(?1)'

/** `count` and `fail` add to the counters of the transaction, if the statements before them changed something. */
export type HotStatement =
  | readonly [name: keyof typeof STATEMENTS, values: SQLInputValue[]]
  | readonly [name: 'count', counted: Counted]
  | readonly [name: 'fail', failed: FailedRun]

export const insertRun = (
  run: NewRun,
  { request, rawBody, sealed }: ReturnType<typeof sealedStartTexts>,
): HotStatement => [
  'insertRun',
  [
    run.id,
    run.flowId,
    run.version,
    run.document,
    testColumn(run),
    run.hops,
    run.replyStatus,
    request,
    rawBody,
    run.createdAt,
    run.replayOf,
    sealed,
    triggerColumn(run.trigger),
    run.parent?.run ?? null,
    run.parent?.step ?? null,
    run.parent ? Number(run.parent.waits) : null,
    // The last: whoever writes the row stores these for the search too.
    labelsColumn(run),
  ],
]

export const putStep = (runId: string, e: JournalEntry, data: ReturnType<typeof stepColumns>): HotStatement => [
  'putStep',
  [
    runId,
    e.path,
    e.id,
    e.kind,
    e.seq,
    e.status,
    e.attempt,
    e.startedAt,
    e.finishedAt,
    e.outcome,
    data.decision,
    e.resumeAt,
    data.input,
    data.output,
    data.error,
    data.logs,
    data.sealed,
    data.attempts,
  ],
]

/** Counts a run that starts, as an accepted delivery if one started it; a test run or a handler does not count. */
export function countStart({ flowId, test, createdAt, replayOf, trigger }: NewRun): HotStatement[] {
  if (test || isHandler({ trigger })) return []
  const counter = replayOf === null && triggerColumn(trigger) === null ? 'accepted' : 'started'
  return [['count', { flowId, at: createdAt, counter, bucket: NO_BUCKET, code: NO_CODE }]]
}

/** Counts a run that ends. */
export function countEnd(run: { flowId: string; test: boolean }, progress: RunProgress): HotStatement[] {
  const { status, startedAt, finishedAt, error } = progress
  if (finishedAt === null || run.test) return []
  return [['count', countedEnd(run.flowId, { status, startedAt, finishedAt, code: error?.code ?? null })]]
}

/** Counts a failed run in its group. */
export const countFailure = (failed: FailedRun): HotStatement[] => [
  ['setFailure', [failed.failure, failed.runId]],
  ['fail', failed],
]

/** Statements that belong together. The first that changes nothing, such as a key that is taken, ends them. */
export type HotWrite = readonly HotStatement[]

/** Does a write inside a transaction, and returns how many of its statements changed something. */
export type DoHotWrite = (write: HotWrite) => number

export function prepareHotWrites(db: DatabaseSync, counters: FlowCounters): DoHotWrite {
  const prepare = (name: keyof typeof STATEMENTS) => db.prepare(STATEMENTS[name])
  const statements = {
    insertRun: prepare('insertRun'),
    takeKey: prepare('takeKey'),
    insertDelivery: prepare('insertDelivery'),
    updateRun: prepare('updateRun'),
    setFailure: prepare('setFailure'),
    moveSchedule: prepare('moveSchedule'),
    insertOccurrence: prepare('insertOccurrence'),
    takeItem: prepare('takeItem'),
    countItem: prepare('countItem'),
    setEdited: prepare('setEdited'),
    wakeParent: prepare('wakeParent'),
    wakeIfEnded: prepare('wakeIfEnded'),
    insertAlertEvent: prepare('insertAlertEvent'),
    putStep: prepare('putStep'),
  }
  const insertLabels = db.prepare(INSERT_LABELS)
  return (write) => {
    let done = 0
    for (const statement of write) {
      if (statement[0] === 'count') counters.add(statement[1])
      else if (statement[0] === 'fail') counters.failures.add(statement[1])
      else if (statements[statement[0]].run(...statement[1]).changes === 0) break
      // A statement of its own in the message would cost more than the labels.
      else if (statement[0] === 'insertRun' && statement[1].at(-1) !== null)
        insertLabels.run(statement[1].at(-1)!, statement[1][0]!)
      done++
    }
    return done
  }
}
