// The hot path on SQLite: deliveries accepted, runs claimed, outcomes journalled; prepared statements inside group commits.
import type { Claim, ClaimedRun, JournalEntry, NewRun, RunJournal, RunProgress } from '../engine/run-store.ts'
import type { Dedupe, DeliveryRecord, DeliveryStore, Protect, ReplayedJournal, RunStore } from '../operations/ports.ts'
import { runBinding } from './bindings.ts'
import {
  entriesUnder,
  isOfOwnRound,
  pathsAround,
  replayed,
  roundIndex,
  roundsUnder,
  settleOperation,
} from './journal-rows.ts'
import { requestColumns, revealedRequest, sealedRequestColumns } from './request-columns.ts'
import { toClaimedRun, toEntry } from './run-rows.ts'
import type { SqliteStorage } from './sqlite-database.ts'
import { createSqliteKeyValues } from './sqlite-key-values.ts'
import { revealedStep, shownJson, stepColumns, toJson } from './step-columns.ts'
import type { RunTable, StepTable } from './tables.ts'

/** This process alone owns the file, so a claim needs no write of its own: the first record carries it. */
interface SqliteClaim extends Claim {
  writtenEpoch: number
  flowId: string
}

export function createSqliteRunJournal(
  storage: SqliteStorage,
  protect: Protect,
): RunJournal & { runs: Pick<RunStore, 'accept' | 'operate' | 'original'>; addDelivery: DeliveryStore['add'] } {
  const { raw, commit } = storage

  const insertRun =
    raw.prepare(`INSERT INTO run (id, flow_id, version, document, status, test, epoch, attempt, hops, reply_status, request, raw_body, created_at, replay_of, sealed)
    VALUES (?, ?, ?, ?, 'queued', ?, 0, 1, ?, ?, ?, ?, ?, ?, ?)`)
  const takeKey = raw.prepare(`INSERT INTO dedupe (flow_id, key, run_id, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (flow_id, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at WHERE dedupe.expires_at <= ?`)
  const keyHolder = raw.prepare('SELECT run_id FROM dedupe WHERE flow_id = ? AND key = ?')
  const insertDelivery =
    raw.prepare(`INSERT INTO delivery (id, flow_id, outcome, code, message, status, run_id, request, raw_body, received_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const selectRun = raw.prepare(`SELECT * FROM run WHERE id = ? AND status IN ('queued', 'running', 'waiting')`)
  // Rounds of loops are read when their loop is reached: there may be a hundred thousand.
  const selectSteps = raw.prepare(`SELECT * FROM step WHERE run_id = ? AND path NOT LIKE '%[%' ORDER BY seq`)
  // A step sets the same names each time: its latest is all that counts.
  const selectAssigned = raw.prepare(`SELECT * FROM step WHERE run_id = ?1 AND outcome = 'assign' AND seq IN
    (SELECT max(seq) FROM step WHERE run_id = ?1 AND outcome = 'assign' GROUP BY id) ORDER BY seq`)
  const selectRounds = raw.prepare(`SELECT * FROM step WHERE run_id = ? AND path >= ? AND path < ? AND kind = 'round'`)
  const selectLatest =
    raw.prepare(`SELECT * FROM step WHERE run_id = ?1 AND path >= ?2 AND path < ?3 AND seq IN (SELECT max(seq)
    FROM step WHERE run_id = ?1 AND path >= ?2 AND path < ?3 AND kind <> 'round' AND outcome IS NOT NULL GROUP BY id) ORDER BY seq`)
  const selectPathsFrom = raw.prepare('SELECT path FROM step WHERE run_id = ? AND seq >= ?')
  const selectLastSeq = raw.prepare('SELECT max(seq) AS seq FROM step WHERE run_id = ?')
  const selectUnder = raw.prepare('SELECT * FROM step WHERE run_id = ? AND path >= ? AND path < ? ORDER BY seq')
  const selectBefore = raw.prepare('SELECT * FROM step WHERE run_id = ? AND seq < ? ORDER BY seq')
  const selectAnyRun = raw.prepare('SELECT * FROM run WHERE id = ?')
  const keyValues = createSqliteKeyValues(storage, protect)
  const updateRun =
    raw.prepare(`UPDATE run SET epoch = ?, status = ?, started_at = ?, finished_at = ?, resume_at = ?, error = ?
    WHERE id = ? AND epoch = ? AND status IN ('queued', 'running', 'waiting')`)
  const putStep =
    raw.prepare(`INSERT OR REPLACE INTO step (run_id, path, id, kind, seq, status, attempt, started_at, finished_at, outcome,
    decision, resume_at, input, output, error, logs, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

  const writeEntry = (runId: string, e: JournalEntry): void => {
    const data = stepColumns(runId, e, protect)
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
      data.decision,
      e.resumeAt,
      data.input,
      data.output,
      data.error,
      data.logs,
      data.sealed,
    )
  }

  const takeOver = ({ runId, before }: ReplayedJournal, to: string): void => {
    const around = new Set(selectPathsFrom.all(runId, before).flatMap((row) => pathsAround(row['path'] as string)))
    for (const row of selectBefore.all(runId, before) as unknown as StepTable[]) {
      const entry = replayed(toEntry(revealedStep(row, protect)), around)
      if (entry) writeEntry(to, entry)
    }
  }

  return {
    runs: {
      accept(run: NewRun, dedupe: Dedupe | null = null, journal: ReplayedJournal | null = null) {
        const { request, raw_body, sealed } = sealedRequestColumns(run.webhook, protect, runBinding(run.id))
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
            sealed,
          )
          if (journal) takeOver(journal, run.id)
          return { duplicateOf: null }
        })
      },

      async original(id) {
        const row = selectAnyRun.get(id) as RunTable | undefined
        if (!row) return null
        const webhook = revealedRequest(row, protect, runBinding(id))
        const claim = { runId: id, epoch: 0 }
        return toClaimedRun(row, webhook, claim, 0, { journal: [], vars: {}, lastSeq: 0 })
      },

      operate: (flowId, operation, now) => commit.write(() => keyValues(flowId, operation, now)),
    },

    addDelivery(d: DeliveryRecord) {
      const { request, raw_body } = requestColumns(d.webhook, protect)
      return commit.write(() => {
        insertDelivery.run(
          d.id,
          d.flowId,
          d.outcome,
          d.code,
          d.message && protect.text(d.message),
          d.status,
          d.runId,
          request,
          raw_body,
          d.receivedAt,
        )
      })
    },

    async claim(runId: string, now: number, fresh: NewRun | null = null): Promise<ClaimedRun | null> {
      if (fresh) {
        const claim: SqliteClaim = { runId, epoch: 1, writtenEpoch: 0, flowId: fresh.flowId }
        return { ...fresh, claim, attempt: 1, startedAt: now, journal: [], vars: Object.create(null), lastSeq: 0 }
      }
      const row = selectRun.get(runId) as RunTable | undefined
      if (!row) return null
      const claim: SqliteClaim = { runId, epoch: row.epoch + 1, writtenEpoch: row.epoch, flowId: row.flow_id }
      const steps = selectSteps.all(runId) as unknown as StepTable[]
      const webhook = revealedRequest(row, protect, runBinding(runId))
      const journal = steps.map((step) => toEntry(revealedStep(step, protect)))
      const vars: Record<string, unknown> = Object.create(null)
      for (const step of selectAssigned.iterate(runId) as Iterable<unknown>)
        Object.assign(vars, toEntry(revealedStep(step as StepTable, protect)).output)
      const lastSeq = (selectLastSeq.get(runId)?.['seq'] as number | null) ?? 0
      return toClaimedRun(row, webhook, claim, now, { journal, vars, lastSeq })
    },

    async rounds(runId, base) {
      const rounds = []
      for (const row of selectRounds.iterate(runId, ...roundsUnder(base)) as Iterable<unknown>) {
        const step = row as StepTable
        const index = roundIndex(step.path, base)
        if (index === null) continue
        const { output, error } = toEntry(revealedStep(step, protect))
        rounds.push({ index, output, error })
      }
      return rounds
    },

    async latestOfRounds(runId, base) {
      const rows = selectLatest.all(runId, ...roundsUnder(base)) as unknown as StepTable[]
      return rows.filter((row) => isOfOwnRound(row.path, base)).map((row) => toEntry(revealedStep(row, protect)))
    },

    async entriesUnder(runId, prefix) {
      const rows = selectUnder.all(runId, ...entriesUnder(prefix)) as unknown as StepTable[]
      return rows.map((row) => toEntry(revealedStep(row, protect)))
    },

    record(claim: Claim, progress: RunProgress) {
      const held = claim as SqliteClaim
      return commit
        .write(() => {
          const { changes } = updateRun.run(
            held.epoch,
            progress.status,
            progress.startedAt,
            progress.finishedAt,
            progress.resumeAt,
            shownJson(toJson(progress.error), protect),
            held.runId,
            held.writtenEpoch,
          )
          if (changes === 0) return false
          for (const entry of progress.entries) {
            if (entry.operation) settleOperation(entry, keyValues(held.flowId, entry.operation, entry.finishedAt!))
            writeEntry(held.runId, entry)
          }
          return true
        })
        .then((recorded) => {
          // Only now: a transaction that failed has written no epoch.
          if (recorded) held.writtenEpoch = held.epoch
          return recorded
        })
    },
  }
}
