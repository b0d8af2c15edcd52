// The hot path on SQLite: deliveries accepted, runs claimed, outcomes journalled; prepared statements inside group commits.
import type { Claim, ClaimedRun, JournalEntry, NewRun, RunJournal, RunProgress } from '../engine/run-store.ts'
import { ShortLived } from '../engine/short-lived.ts'
import type { Dedupe, DeliveryRecord, DeliveryStore, RunStore } from '../operations/ports.ts'
import { requestColumns } from './request-columns.ts'
import { toClaimedRun, toEntry } from './run-rows.ts'
import type { SqliteStorage } from './sqlite-database.ts'
import type { RunTable, StepTable } from './tables.ts'

/** How many runs that were just accepted are kept in memory for the engine, so that it need not read them back. */
const FRESH_RUNS = 2_000
const FRESH_BODY_CHARS = 16_384

/** This process alone owns the file, so a claim needs no write of its own: the first record carries it. */
interface SqliteClaim extends Claim {
  writtenEpoch: number
}

export function createSqliteRunJournal(
  storage: SqliteStorage,
): RunJournal & Pick<RunStore, 'accept'> & { addDelivery: DeliveryStore['add'] } {
  const { raw, commit } = storage
  const fresh = new ShortLived<NewRun>()

  const insertRun =
    raw.prepare(`INSERT INTO run (id, flow_id, version, document, status, test, epoch, attempt, hops, reply_status, request, raw_body, created_at, replay_of)
    VALUES (?, ?, ?, ?, 'queued', ?, 0, 1, ?, ?, ?, ?, ?, ?)`)
  const takeKey = raw.prepare(`INSERT INTO dedupe (flow_id, key, run_id, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (flow_id, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at WHERE dedupe.expires_at <= ?`)
  const keyHolder = raw.prepare('SELECT run_id FROM dedupe WHERE flow_id = ? AND key = ?')
  const insertDelivery =
    raw.prepare(`INSERT INTO delivery (id, flow_id, outcome, code, message, status, run_id, request, raw_body, received_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const selectRun = raw.prepare(`SELECT * FROM run WHERE id = ? AND status IN ('queued', 'running', 'waiting')`)
  const selectSteps = raw.prepare('SELECT * FROM step WHERE run_id = ? ORDER BY seq')
  const updateRun =
    raw.prepare(`UPDATE run SET epoch = ?, status = ?, started_at = ?, finished_at = ?, resume_at = ?, error = ?
    WHERE id = ? AND epoch = ? AND status IN ('queued', 'running', 'waiting')`)
  const putStep =
    raw.prepare(`INSERT OR REPLACE INTO step (run_id, path, id, kind, seq, status, attempt, started_at, finished_at, outcome,
    decision, resume_at, input, output, error, logs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

  const writeEntry = (runId: string, e: JournalEntry): void => {
    putStep.run(
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
      toJson(e.decision),
      e.resumeAt,
      toJson(e.input),
      toJson(e.output),
      toJson(e.error),
      toJson(e.logs),
    )
  }

  return {
    accept(run: NewRun, dedupe: Dedupe | null = null) {
      const { request, raw_body } = requestColumns(run.webhook)
      return commit.write(() => {
        if (dedupe) {
          const taken = takeKey.run(run.flowId, dedupe.key, run.id, dedupe.expiresAt, run.createdAt)
          if (taken.changes === 0) return { duplicateOf: keyHolder.get(run.flowId, dedupe.key)!['run_id'] as string }
        }
        insertRun.run(
          run.id,
          run.flowId,
          run.version,
          run.document,
          run.test ? 1 : 0,
          run.hops,
          run.replyStatus,
          request,
          raw_body,
          run.createdAt,
          run.replayOf,
        )
        if (fresh.size < FRESH_RUNS && run.webhook.rawBody.length <= FRESH_BODY_CHARS) fresh.set(run.id, run)
        return { duplicateOf: null }
      })
    },

    addDelivery(d: DeliveryRecord) {
      const { request, raw_body } = requestColumns(d.webhook)
      return commit.write(() => {
        insertDelivery.run(
          d.id,
          d.flowId,
          d.outcome,
          d.code,
          d.message,
          d.status,
          d.runId,
          request,
          raw_body,
          d.receivedAt,
        )
      })
    },

    async claim(runId: string, now: number): Promise<ClaimedRun | null> {
      const run = fresh.take(runId)
      if (run) {
        const claim: SqliteClaim = { runId, epoch: 1, writtenEpoch: 0 }
        return { ...run, claim, attempt: 1, startedAt: now, journal: [] }
      }
      const row = selectRun.get(runId) as RunTable | undefined
      if (!row) return null
      const claim: SqliteClaim = { runId, epoch: row.epoch + 1, writtenEpoch: row.epoch }
      const steps = selectSteps.all(runId) as unknown as StepTable[]
      return toClaimedRun(row, claim, now, steps.map(toEntry))
    },

    record(claim: Claim, progress: RunProgress) {
      const held = claim as SqliteClaim
      return commit.write(() => {
        const { changes } = updateRun.run(
          held.epoch,
          progress.status,
          progress.startedAt,
          progress.finishedAt,
          progress.resumeAt,
          toJson(progress.error),
          held.runId,
          held.writtenEpoch,
        )
        if (changes === 0) return false
        for (const entry of progress.entries) writeEntry(held.runId, entry)
        held.writtenEpoch = held.epoch
        return true
      })
    },
  }
}

const toJson = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value))
