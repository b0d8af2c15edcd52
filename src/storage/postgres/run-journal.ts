// Claims runs and journals outcomes on PostgreSQL; outcomes that are recorded together share one statement.
import type { ClaimedRun, JournalEntry, RunJournal } from '../../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { Room, TakenRun } from '../../operations/ports/queue.ts'
import type { ReplayStore } from '../../operations/ports/replays.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { runBinding } from '../rows/bindings.ts'
import { type CauseOf, createCauseOf } from '../rows/failures/causes.ts'
import { entriesUnder, isOfOwnRound, roundIndex, roundsUnder } from '../rows/journal-rows.ts'
import { revealedStart } from '../rows/request-columns.ts'
import { runEnd, toClaimedRun, toOriginal, toUnreadRun } from '../rows/run-rows.ts'
import { revealedStep } from '../rows/step-columns.ts'
import type { RunTable, StepTable } from '../rows/tables.ts'
import { createAccept, type RunsHere } from './accept.ts'
import { Batches } from './batches.ts'
import { createBegin, joinsStart } from './begin.ts'
import type { PostgresStorage } from './database.ts'
import { createPostgresReplays } from './failures/replays.ts'
import { operateKeys } from './key-values.ts'
import { createRecord } from './record-progress.ts'
import type { PostgresClaim } from './run-claim.ts'
import {
  ANY_RUN,
  ASSIGNED,
  CLAIM,
  CLAIM_READY,
  LAST_SEQ,
  LATEST,
  REPLY,
  ROUNDS,
  STANDING,
  STEPS,
  UNDER,
} from './run-statements.ts'

const ANY_ROOM: Room = { bytes: Number.MAX_SAFE_INTEGER, bytesOfOne: Number.MAX_SAFE_INTEGER }
const MOST_AT_ONCE = 100
const LANES = 2
/** How long a claim counts as standing after it was last confirmed; a signal tells of a cancellation meanwhile. */
const SEEN_LATELY_MS = 50

interface DispatchedRun extends RunTable {
  bytes: number
  reply_to: string | null
  placed: number | null
  changes: number
}

const claimOf = (row: DispatchedRun, seenAt: number): PostgresClaim => ({
  runId: row.id,
  epoch: row.epoch,
  flowId: row.flow_id,
  wakes: row.parent_waits === 1 ? row.parent_run : null,
  seenAt,
})

const placeOf = (row: DispatchedRun) => ({ replyTo: row.reply_to, placed: row.placed === 1 })

const unread = (row: DispatchedRun, seenAt: number, now: number): ClaimedRun => ({
  ...toUnreadRun(row, claimOf(row, seenAt), now),
  ...placeOf(row),
})

export interface PostgresRunJournal extends RunJournal {
  runs: Pick<RunStore, 'accept' | 'begin' | 'operate' | 'original'>
  startReplay: ReplayStore['start']
  /** Claims up to `limit` runs that no process holds and that are due. */
  claimReady(worker: string, limit: number, now: number, room?: Room): Promise<TakenRun[]>
}

export function createPostgresRunJournal(
  storage: Pick<PostgresStorage, 'hot' | 'joint'>,
  protect: Protect,
  here: RunsHere & { now(): number },
  onCommit: (seconds: number, writes: number) => void = () => {},
  causeOf: CauseOf = createCauseOf(),
): PostgresRunJournal {
  const { hot } = storage
  const accept = createAccept(storage, protect, here, onCommit)
  const select = async (name: string, text: string, values: unknown[]): Promise<JournalEntry[]> =>
    (await hot.query<StepTable>({ name, text, values })).map((row) => revealedStep(row, protect))

  const claimed = async (row: DispatchedRun, seenAt: number, now: number): Promise<ClaimedRun> => {
    const { id } = row
    const claim = claimOf(row, seenAt)
    const start = await revealedStart(row, protect, runBinding(id))
    const vars: Record<string, unknown> = Object.create(null)
    const isNew = row.epoch === 1 && row.replay_of === null
    const more = placeOf(row)
    if (isNew) return { ...toClaimedRun(row, start, claim, now, { journal: [], vars, lastSeq: 0 }), ...more }
    return { ...toClaimedRun(row, start, claim, now, await journalOf(id)), ...more }
  }

  const journalOf = async (id: string): Promise<Pick<ClaimedRun, 'journal' | 'vars' | 'lastSeq'>> => {
    const vars: Record<string, unknown> = Object.create(null)
    const [journal, assigned, [last]] = await Promise.all([
      select('steps', STEPS, [id]),
      select('assigned', ASSIGNED, [id]),
      hot.query<{ seq: number | null }>({ name: 'last-seq', text: LAST_SEQ, values: [id] }),
    ])
    for (const entry of assigned) Object.assign(vars, entry.output)
    return { journal, vars, lastSeq: last?.seq ?? 0 }
  }

  /** Claims a run, or nothing if it has ended or another process holds it. */
  const take = async (runId: string): Promise<{ row: DispatchedRun; asked: number } | null> => {
    const worker = here.worker()
    // A claim without a worker belongs to no process: no process would ever run it.
    if (worker === null) throw new StorageUnavailable('This process may hold no runs at the moment.')
    const asked = performance.now()
    const [row] = await hot.query<DispatchedRun>({ name: 'claim', text: CLAIM, values: [runId, worker] })
    return row ? { row, asked } : null
  }

  const replays = createPostgresReplays(storage, protect)
  const record = createRecord(hot, protect, here, onCommit, causeOf)

  const standing = new Batches<PostgresClaim, boolean>({
    lanes: LANES,
    most: MOST_AT_ONCE,
    async send(claims) {
      const at = performance.now()
      const values = [claims.map(({ runId }) => runId)]
      const rows = await hot.query<{ id: string; epoch: number }>({ name: 'standing', text: STANDING, values })
      const epochs = new Map(rows.map(({ id, epoch }) => [id, epoch]))
      for (const claim of claims) claim.seenAt = at
      return claims.map(({ runId, epoch }) => epochs.get(runId) === epoch)
    },
    onSent: () => {},
  })

  return {
    runs: {
      async accept(run, dedupe = null, journal = null, terms) {
        if (!journal && !run.edited) return accept(run, dedupe, terms)
        await replays.accept(run, journal, terms)
        return { duplicateOf: null }
      },

      async original(id) {
        const [row] = await hot.query<RunTable>({ name: 'any-run', text: ANY_RUN, values: [id] })
        if (!row) return null
        const start = await revealedStart(row, protect, runBinding(id))
        const claim = { runId: id, epoch: 0 }
        return toOriginal(row, toClaimedRun(row, start, claim, 0, { journal: [], vars: {}, lastSeq: 0 }))
      },

      begin: createBegin(hot, protect, here, onCommit),

      operate: (flowId, operation, now) =>
        hot.transaction(async (query) => (await operateKeys(query, [{ flowId, operation, now }], protect))[0]!),
    },

    startReplay: replays.start,

    async claim(runId, now) {
      const taken = await take(runId)
      return taken && claimed(taken.row, taken.asked, now)
    },

    async claimUnread(runId, now) {
      const taken = await take(runId)
      return taken && unread(taken.row, taken.asked, now)
    },

    async claimReady(worker, limit, now, room = ANY_ROOM) {
      const values = [worker, limit, room.bytes, room.bytesOfOne]
      const asked = performance.now()
      const rows = await hot.query<DispatchedRun>({ name: 'claim-ready', text: CLAIM_READY, values })
      if (rows[0]) await here.catchUp(rows[0].changes)
      rows.sort((a, b) => (a.id < b.id ? -1 : 1))
      return Promise.all(
        rows.map(async (row) => {
          // One run that cannot be read must not hold up those that were claimed with it.
          const run = await claimed(row, asked, now).catch((unreadable) => ({ ...unread(row, asked, now), unreadable }))
          return { ...run, bytes: row.bytes }
        }),
      )
    },

    async rounds(runId, base) {
      const entries = await select('rounds', ROUNDS, [runId, ...roundsUnder(base)])
      return entries.flatMap(({ path, output, error }) => {
        const index = roundIndex(path, base)
        return index === null ? [] : { index, output, error }
      })
    },

    async latestOfRounds(runId, base) {
      const entries = await select('latest', LATEST, [runId, ...roundsUnder(base)])
      return entries.filter(({ path }) => isOfOwnRound(path, base))
    },

    async ended(runId) {
      const [row] = await hot.query<RunTable>({ name: 'any-run', text: ANY_RUN, values: [runId] })
      if (!row) return null
      const start = await revealedStart(row, protect, runBinding(runId))
      return toClaimedRun(row, start, { runId, epoch: row.epoch }, 0, await journalOf(runId))
    },

    async endOf(runId) {
      const [run] = await hot.query<RunTable>({ name: 'any-run', text: ANY_RUN, values: [runId] })
      if (run && run.finished_at === null) return null
      const [reply] = await select('reply', REPLY, [runId])
      return runEnd(run, reply, await hot.query<StepTable>({ name: 'assigned', text: ASSIGNED, values: [runId] }))
    },

    entriesUnder: (runId, prefix) => select('under', UNDER, [runId, ...entriesUnder(prefix)]),

    holds(claim) {
      const held = claim as PostgresClaim
      if (held.start) return held.start.stored
      if (!here.isCertain()) return here.renewed().then(() => standing.add(held))
      return performance.now() - held.seenAt < SEEN_LATELY_MS ? true : standing.add(held)
    },

    isCertain: here.isCertain,

    async record(claim, progress) {
      const held = claim as PostgresClaim
      const { start } = held
      if (start) {
        const joins = !start.isSent && joinsStart(progress, held)
        if (joins) start.progress = progress
        if (!(await start.stored)) return false
        if (joins) return true
      }
      return record({ claim: held, progress })
    },
  }
}
