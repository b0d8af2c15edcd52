// Does the writes of the hot path on SQLite, which are plain data, so that a thread can do them. It imports little, because that
// thread loads it at every start; `write-descriptions.ts` describes the writes.
import type { SQLInputValue } from 'node:sqlite'
import type { FailedRun } from '../../rows/failures/causes.ts'
import type { Counted } from '../../rows/flow-counts.ts'
import { lackOfRoom, storageFault } from '../../rows/storage-fault.ts'
import type { Session } from '../settling-database.ts'
import type { FlowCounters } from './flow-counters.ts'
import type { LateLabels } from './late-labels.ts'
import { Transactions } from './transactions.ts'

const IS_WAITING = `status = 'waiting' AND (resume_at IS NULL OR resume_at > ?1)`

/** Bodies arrive as text, and are stored as its bytes. The log of runs holds values of `insertRun`, `updateRun` and `putStep` in their order. */
export const STATEMENTS = {
  insertRun: `INSERT INTO run (id, epoch, status, started_at, finished_at, resume_at, error, flow_id, version, document, test, attempt, hops, reply_status, request, raw_body, created_at, replay_of, sealed, trigger, parent_run, parent_step, parent_waits, labels)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, CAST(? AS BLOB), ?, ?, ?, ?, ?, ?, ?, ?)`,
  takeKey: `INSERT INTO dedupe (flow_id, key, run_id, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (flow_id, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at WHERE dedupe.expires_at <= ?`,
  insertDelivery: `INSERT INTO delivery (id, flow_id, outcome, code, message, status, run_id, request, raw_body, received_at, body_kept, sealed, event)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS BLOB), ?, ?, ?, ?)`,
  updateRun: `UPDATE run SET epoch = ?, status = ?, started_at = ?, finished_at = ?, resume_at = ?, error = ?
    WHERE id = ? AND epoch = ? AND status IN ('queued', 'running', 'waiting')`,
  setFailure: 'UPDATE run SET failure = ? WHERE id = ?',
  moveSchedule: `UPDATE schedule SET next_at = ?, runs_at = ?, previous_at = ?, missed = ? WHERE flow_id = ? AND version = ?
    AND next_at = ? AND NOT EXISTS (SELECT 1 FROM flow WHERE id = flow_id AND paused_at IS NOT NULL)`,
  insertOccurrence: 'INSERT INTO occurrence (flow_id, at, run_id) VALUES (?, ?, ?)',
  takeItem: `UPDATE replay_item SET state = 'started', replay_id = ? WHERE job_id = ? AND run_id = ? AND state = 'waiting'
    AND EXISTS (SELECT 1 FROM replay_job WHERE id = job_id AND state = 'running')`,
  countItem: 'UPDATE replay_job SET started = started + 1 WHERE id = ?',
  markToErase: 'UPDATE run SET erased = 0 WHERE id = ?',
  setEdited: 'UPDATE run SET edited = 1 WHERE id = ?',
  useFiles: `INSERT OR IGNORE INTO file_use (owner, file_id) SELECT ?1, file.id FROM json_each(?2) JOIN file ON file.id = value
    WHERE file.state = 'stored'`,
  wakeParent: `UPDATE run SET resume_at = ?1 WHERE id = ?2 AND ${IS_WAITING}`,
  wakeIfEnded: `UPDATE run SET resume_at = ?1 WHERE id = ?2 AND ${IS_WAITING} AND EXISTS (SELECT 1 FROM run AS child
    WHERE child.id IN (SELECT value FROM json_each(?3)) AND child.finished_at IS NOT NULL)`,
  wakeIfAnswered: `UPDATE run SET resume_at = ?1 WHERE id = ?2 AND ${IS_WAITING} AND (EXISTS (SELECT 1 FROM run AS child
    WHERE child.id IN (SELECT value FROM json_each(?3)) AND child.finished_at IS NOT NULL) OR EXISTS (SELECT 1 FROM callback
    WHERE run_id = ?2 AND path IN (SELECT value FROM json_each(?4)) AND state <> 'open'))`,
  insertAlertEvent: 'INSERT INTO alert_event (id, kind, flow_id, run_id, at, code) VALUES (?1, ?2, ?3, ?1, ?4, ?5)',
  markLog: `INSERT INTO run_log (one, salt, generation) VALUES (1, ?, ?)
    ON CONFLICT (one) DO UPDATE SET salt = excluded.salt, generation = excluded.generation`,
  putStep: `INSERT OR REPLACE INTO step (run_id, path, id, kind, seq, status, attempt, started_at, finished_at, outcome,
    decision, resume_at, input, output, error, logs, sealed, attempts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
}

/** The places of some values in these statements. */
export const INSERTED = { id: 0, epoch: 1, finishedAt: 4, body: 14, labels: 22 } as const
export const UPDATED = { epoch: 0, finishedAt: 3, id: 6, heldEpoch: 7 } as const

/** `count` and `fail` add to the counters of the transaction, if the statements before them changed something. */
export type HotStatement =
  | readonly [name: keyof typeof STATEMENTS, values: SQLInputValue[]]
  | readonly [name: 'count', counted: Counted]
  | readonly [name: 'fail', failed: FailedRun]

/** Statements that belong together. The first that changes nothing, such as a key that is taken, ends them; files may be used already. */
export type HotWrite = readonly HotStatement[]

/** Does a write inside a transaction, and returns how many of its statements changed something. */
export type DoHotWrite = (write: HotWrite) => number

/** The number of statements of a write that changed something, or why the write failed. */
export type HotResult = number | { message: string; unavailable: boolean; noRoom: string | null }

export interface BatchResult {
  seconds: number
  results: HotResult[]
}

/**
 * Returns what does the writes of a batch in one transaction with one sync, and says what came of each. `between` is called between the
 * statements of the log of runs.
 */
export function prepareBatches(
  db: Session,
  counters: FlowCounters,
  between?: () => void,
): (batch: readonly HotWrite[]) => BatchResult {
  const transactions = new Transactions(db, counters)
  const doWrite = prepareHotWrites(db, counters, between)
  return (batch) => {
    const started = performance.now()
    const results = transactions.together(batch.map((write) => () => doWrite(write))).map((written): HotResult => {
      if ('value' in written) return written.value
      const fault = storageFault(written.error)
      const { message } = fault ?? (written.error as Error)
      return { message, unavailable: fault !== null, noRoom: lackOfRoom(written.error) }
    })
    return { seconds: (performance.now() - started) / 1000, results }
  }
}

function noteLabels(late: LateLabels, run: readonly string[]): void {
  const labels = run[INSERTED.labels] ?? null
  if (labels !== null) late.add(run[INSERTED.id]!, labels, run[INSERTED.body]!.length)
}

export function prepareHotWrites(db: Session, counters: FlowCounters, between?: () => void): DoHotWrite {
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
    markToErase: prepare('markToErase'),
    setEdited: prepare('setEdited'),
    useFiles: prepare('useFiles'),
    wakeParent: prepare('wakeParent'),
    wakeIfEnded: prepare('wakeIfEnded'),
    wakeIfAnswered: prepare('wakeIfAnswered'),
    insertAlertEvent: prepare('insertAlertEvent'),
    putStep: prepare('putStep'),
    markLog: prepare('markLog'),
  }
  return (write) => {
    let done = 0
    const isLog = write.at(-1)?.[0] === 'markLog'
    for (const statement of write) {
      if (isLog) between?.()
      if (statement[0] === 'count') counters.add(statement[1])
      else if (statement[0] === 'fail') counters.failures.add(statement[1])
      else if (statements[statement[0]].run(...statement[1]).changes === 0 && statement[0] !== 'useFiles') break
      else if (statement[0] === 'insertRun') noteLabels(counters.labels, statement[1] as string[])
      done++
    }
    // The log counts as stored as a whole: in part, it would lack what came after.
    if (done < write.length && isLog)
      throw new Error(`Record ${done + 1} of the log of runs, ${write[done]![0]}, changes nothing.`)
    return done
  }
}
