// The hot path on SQLite: accepts deliveries, claims runs, journals outcomes; with prepared statements, committed in groups.
import type { StatementSync } from 'node:sqlite'
import { newlyClaimed } from '../../engine/ports/newly-claimed.ts'
import type {
  Claim,
  ClaimedRun,
  JournalEntry,
  NewRun,
  RunJournal,
  RunProgress,
} from '../../engine/ports/run-journal.ts'
import type { RecordEntry } from '../../operations/ports/audit.ts'
import type { DeliveryRecord, DeliveryStore } from '../../operations/ports/deliveries.ts'
import type { ReplayStore } from '../../operations/ports/replays.ts'
import type { Accepted, Dedupe, RunStore } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { runBinding } from '../rows/bindings.ts'
import { type CauseOf, createCauseOf, failedRun } from '../rows/failures/causes.ts'
import { isCounter, NO_BUCKET, NO_CODE } from '../rows/flow-counts.ts'
import {
  entriesUnder,
  isOfOwnRound,
  latestOfEachPath,
  roundIndex,
  roundsUnder,
  settleOperation,
} from '../rows/journal-rows.ts'
import { deliveryTexts, revealedStart } from '../rows/request-columns.ts'
import { runEnd, toClaimedRun, toOriginal, toUnreadRun } from '../rows/run-rows.ts'
import { revealedStep, shownJson, stepColumns, toJson } from '../rows/step-columns.ts'
import type { RunTable, StepTable } from '../rows/tables.ts'
import type { SqliteStorage } from './database.ts'
import { createSqliteReplays } from './failures/replays.ts'
import { type HotStatement, prepareHotWrites } from './hot/hot-writes.ts'
import { countEnd, countFailure, insertAs, putStep, wakeUps } from './hot/write-descriptions.ts'
import { createSqliteKeyValues } from './key-values.ts'
import { claimOf, claimOfNew, type SqliteClaim } from './run-claim.ts'
import { prepareRunFiles } from './run-files.ts'
import { startOf } from './run-start.ts'

/** Returns what is written after the steps: what the progress of a run starts, ends and makes due. */
function consequences(held: SqliteClaim, progress: RunProgress, protect: Protect): HotStatement[] {
  const { runId, flowId } = held
  const { entries, handler, erase, alerting, status, finishedAt, error } = progress
  const statements: HotStatement[] = []
  for (const { child } of entries) if (child) statements.push(...startOf(child.run, protect))
  if (handler) statements.push(...startOf(handler, protect))
  // The data of the run is deleted some time after its end.
  if (erase) statements.push(['markToErase', [runId]])
  if (alerting) statements.push(['insertAlertEvent', [runId, status, flowId, finishedAt, error?.code ?? null]])
  statements.push(...wakeUps(held, progress))
  return statements
}

export function createSqliteRunJournal(
  storage: SqliteStorage,
  protect: Protect,
  causeOf: CauseOf = createCauseOf(),
): RunJournal & {
  runs: Pick<RunStore, 'accept' | 'begin' | 'operate' | 'original'>
  addDelivery: DeliveryStore['add']
  startReplay: ReplayStore['start']
} {
  const { raw, together, commit, counters, hot } = storage
  const doWrite = prepareHotWrites(raw, counters)

  const keyHolder = raw.prepare('SELECT run_id FROM dedupe WHERE flow_id = ? AND key = ?')
  const selectRun = raw.prepare(`SELECT * FROM run WHERE id = ? AND status IN ('queued', 'running', 'waiting')`)
  // The rounds of a loop are read when the run reaches the loop: there may be a hundred thousand.
  const selectSteps = raw.prepare(`SELECT * FROM step WHERE run_id = ? AND path NOT LIKE '%[%' ORDER BY seq`)
  // A step assigns the same names each time, so only its latest entry counts.
  const selectAssigned = raw.prepare(`SELECT * FROM step WHERE run_id = ?1 AND outcome = 'assign' AND seq IN
    (SELECT max(seq) FROM step WHERE run_id = ?1 AND outcome = 'assign' GROUP BY id) ORDER BY seq`)
  const selectRounds = raw.prepare(`SELECT * FROM step WHERE run_id = ? AND path >= ? AND path < ? AND kind = 'round'`)
  const selectLatest =
    raw.prepare(`SELECT * FROM step WHERE run_id = ?1 AND path >= ?2 AND path < ?3 AND seq IN (SELECT max(seq)
    FROM step WHERE run_id = ?1 AND path >= ?2 AND path < ?3 AND kind <> 'round' AND outcome IS NOT NULL GROUP BY id) ORDER BY seq`)
  const selectLastSeq = raw.prepare('SELECT max(seq) AS seq FROM step WHERE run_id = ?')
  const selectUnder = raw.prepare('SELECT * FROM step WHERE run_id = ? AND path >= ? AND path < ? ORDER BY seq')
  const selectReply = raw.prepare(`SELECT * FROM step WHERE run_id = ? AND outcome = 'reply' ORDER BY seq LIMIT 1`)
  const selectAnyRun = raw.prepare('SELECT * FROM run WHERE id = ?')
  const found = (select: StatementSync, id: string) => (select.get(id) ?? hot.log.noneFound()) as RunTable | null
  const keyValues = createSqliteKeyValues(storage, protect)
  const replays = createSqliteReplays(storage, protect)
  const requireFiles = prepareRunFiles(raw)
  const takeKey = (run: NewRun, { key, expiresAt }: Dedupe): HotStatement => [
    'takeKey',
    [run.flowId, key, run.id, expiresAt, run.createdAt],
  ]
  const holderOf = (run: NewRun, { key }: Dedupe) => keyHolder.get(run.flowId, key)?.['run_id'] as string | undefined

  const withEntry = (take: () => Accepted, entry: RecordEntry): Promise<Accepted> =>
    together.run(async () => {
      const accepted = commit.join(take)
      if (accepted.duplicateOf === null) await entry()
      return accepted
    })

  const stepOf = ({ runId, flowId }: SqliteClaim, entry: JournalEntry, texts?: RunProgress['texts']): HotStatement =>
    putStep(runId, entry, stepColumns(runId, entry, protect.of(flowId), texts))

  const withJournal = async (row: RunTable, claim: Claim, now: number): Promise<ClaimedRun> => {
    const { id } = row
    const steps = selectSteps.all(id) as unknown as StepTable[]
    const journal = steps.map((step) => revealedStep(step, protect))
    const vars: Record<string, unknown> = Object.create(null)
    for (const step of selectAssigned.iterate(id) as Iterable<unknown>)
      Object.assign(vars, revealedStep(step as StepTable, protect).output)
    const lastSeq = (selectLastSeq.get(id)?.['seq'] as number | null) ?? 0
    // Last, because it may take several turns of the event loop: what was read before is of one moment.
    const start = await revealedStart(row, protect, runBinding(id))
    return toClaimedRun(row, start, claim, now, { journal, vars, lastSeq })
  }

  return {
    runs: {
      async accept(run, dedupe = null, journal = null, terms) {
        const started = startOf(run, protect)
        const take = (): Accepted => {
          requireFiles(run)
          if (dedupe && doWrite([takeKey(run, dedupe)]) === 0) return { duplicateOf: holderOf(run, dedupe)! }
          doWrite(started)
          if (journal) replays.takeOver(journal, run)
          return { duplicateOf: null }
        }
        if (terms?.entry) return withEntry(take, terms.entry)
        if (journal || run.files?.length) return commit.write(take)
        if (dedupe) {
          while ((await hot.write([takeKey(run, dedupe), ...started])) === 0) {
            // The holder is missing if its key has expired just now: then the key is free.
            const holder = holderOf(run, dedupe)
            if (holder) return { duplicateOf: holder }
          }
        } else await hot.write(started)
        return { duplicateOf: null }
      },

      begin(run) {
        const start = hot.begin(startOf(run, protect))
        return Object.assign(claimOfNew(run, start), { stored: start.done })
      },

      async original(id) {
        const row = found(selectAnyRun, id)
        if (!row) return null
        const start = await revealedStart(row, protect, runBinding(id))
        const claim = { runId: id, epoch: 0 }
        return toOriginal(row, toClaimedRun(row, start, claim, 0, { journal: [], vars: {}, lastSeq: 0 }))
      },

      operate: (flowId, operation, now) => commit.write(() => keyValues(flowId, operation, now)),
    },

    startReplay: replays.start,

    async addDelivery(d: DeliveryRecord) {
      const { request, rawBody, sealed } = deliveryTexts(d, protect.of(d.flowId))
      const message = d.message && protect.of(d.flowId).text(d.message)
      const told = [d.id, d.flowId, d.outcome, d.code, message, d.status, d.runId]
      const values = [...told, request, rawBody, d.receivedAt, d.bodyKept ? 1 : null, sealed, d.event]
      const counted = { flowId: d.flowId, at: d.receivedAt, bucket: NO_BUCKET, code: NO_CODE }
      const counting: HotStatement[] = isCounter(d.outcome) ? [['count', { ...counted, counter: d.outcome }]] : []
      await hot.write([['insertDelivery', values], ...counting])
    },

    async claim(runId: string, now: number, fresh: NewRun | null = null): Promise<ClaimedRun | null> {
      if (fresh) return newlyClaimed(fresh, claimOfNew(fresh), now)
      const row = found(selectRun, runId)
      if (!row) return null
      return withJournal(row, claimOf(row), now)
    },

    async ended(runId) {
      const row = found(selectAnyRun, runId)
      return row ? withJournal(row, { runId, epoch: row.epoch }, 0) : null
    },

    async claimUnread(runId, now) {
      const row = found(selectRun, runId)
      return row ? toUnreadRun(row, claimOf(row), now) : null
    },

    async rounds(runId, base) {
      const rounds = []
      for (const row of selectRounds.iterate(runId, ...roundsUnder(base)) as Iterable<unknown>) {
        const step = row as StepTable
        const index = roundIndex(step.path, base)
        if (index === null) continue
        const { output, error } = revealedStep(step, protect)
        rounds.push({ index, output, error })
      }
      return rounds
    },

    async latestOfRounds(runId, base) {
      const rows = selectLatest.all(runId, ...roundsUnder(base)) as unknown as StepTable[]
      return rows.filter((row) => isOfOwnRound(row.path, base)).map((row) => revealedStep(row, protect))
    },

    async endOf(runId) {
      const run = found(selectAnyRun, runId)
      if (run && run.finished_at === null) return null
      const reply = selectReply.get(runId) as StepTable | undefined
      return runEnd(
        run ?? undefined,
        reply && revealedStep(reply, protect),
        selectAssigned.all(runId) as unknown as StepTable[],
      )
    },

    async entriesUnder(runId, prefix) {
      const rows = selectUnder.all(runId, ...entriesUnder(prefix)) as unknown as StepTable[]
      return rows.map((row) => revealedStep(row, protect))
    },

    async record(claim: Claim, progress: RunProgress) {
      const held = claim as SqliteClaim
      const { status, startedAt, finishedAt, resumeAt, entries, texts } = progress
      const error = shownJson(toJson(progress.error), protect.of(held.flowId))
      const reached = [held.epoch, status, startedAt, finishedAt, resumeAt, error]
      const failed = failedRun(held, progress, protect.of(held.flowId), causeOf)
      const counting = [...countEnd(held, progress), ...(failed ? countFailure(failed) : [])]
      const fenced = (): HotStatement[] => [['updateRun', [...reached, held.runId, held.writtenEpoch]], ...counting]
      const others = consequences(held, progress, protect)
      const stepsAnd = () => [...latestOfEachPath(entries).map((entry) => stepOf(held, entry, texts)), ...others]
      let recorded: boolean
      if (entries.some((entry) => entry.operation)) {
        // Another connection than that of the start writes this, and finds no run if that was not stored.
        await held.start?.done.catch(() => {})
        recorded = await commit.write(() => {
          if (doWrite(fenced()) === 0) return false
          for (const entry of entries) {
            if (entry.operation) settleOperation(entry, keyValues(held.flowId, entry.operation, entry.finishedAt!))
            doWrite([stepOf(held, entry, texts)])
          }
          doWrite(others)
          return true
        })
      } else if (held.start && !held.start.isSent) {
        insertAs(held.start, reached)
        held.start.statements.push(...counting, ...stepsAnd())
        recorded = (await held.start.done) > 0
      } else recorded = (await hot.write([...fenced(), ...stepsAnd()])) > 0
      // Set only after the commit: a transaction that failed has written no epoch.
      if (recorded) held.writtenEpoch = held.epoch
      else hot.log.missed(held.runId)
      return recorded
    },
  }
}
