// Stores callbacks and their answers, for those who answer and for those who look.
import { type Kysely, sql, type Transaction } from 'kysely'
import type { CallbackState } from '../../../engine/ports/callbacks.ts'
import type { RunStatus } from '../../../engine/ports/run-journal.ts'
import { parseJson } from '../../../flow/json/parse-json.ts'
import type { CallbackRecord, CallbackStore, NewAnswer } from '../../../operations/ports/callbacks/callbacks.ts'
import { answerBinding, callbackBinding } from '../../rows/bindings.ts'
import { bytesUpTo, UNBOUNDED } from '../../rows/bounded.ts'
import { locked } from '../../rows/dialect.ts'
import { paged, someOf } from '../../rows/paged.ts'
import type { Tables } from '../../rows/tables.ts'
import { lockRuns, wakeRuns } from '../cancelled-runs.ts'
import { type CallbackPorts, createCallbackJournal, sealingOf } from './callback-journal.ts'
import { shownAnswers } from './shown-answers.ts'

/** Whoever has the URL can send many before the run gets there: so many are kept, as long as they have so many bytes. */
const MOST_EARLY = 100
const MOST_EARLY_BYTES = 32 * 1024 * 1024
/** A run may make a URL in each round of a long loop: so many are shown. */
const MOST_SHOWN = 200

const COLUMNS = [
  'callback.id',
  'callback.run_id',
  'callback.path',
  'callback.step',
  'callback.kind',
  'callback.state',
  'callback.asks',
  'callback.created_at',
  'callback.opened_at',
  'callback.expires_at',
  'callback.ended_at',
  'callback.answered_by',
  'callback.answer_id',
  'run.flow_id',
  'run.version',
  'run.document',
  'run.status',
] as const

const sumOf = (rows: readonly { bytes: number }[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0)

export function createCallbackStore(db: Kysely<Tables>, ports: CallbackPorts): CallbackStore {
  const { protect, now, digest, newToken } = ports
  const sealing = sealingOf(protect)
  const records = () => db.selectFrom('callback').innerJoin('run', 'run.id', 'callback.run_id').select(COLUMNS)
  type Row = Awaited<ReturnType<ReturnType<typeof records>['executeTakeFirstOrThrow']>>

  const toRecord = (row: Row): CallbackRecord => ({
    id: row.id,
    runId: row.run_id,
    flowId: row.flow_id,
    version: row.version,
    document: row.document,
    runStatus: row.status as RunStatus,
    path: row.path,
    step: row.step,
    isApproval: row.kind === 'approval',
    state: row.state as CallbackState,
    asks: row.asks === null ? null : (parseJson(row.asks) as CallbackRecord['asks']),
    createdAt: row.created_at,
    openedAt: row.opened_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at,
    answeredBy: row.answered_by,
    answerId: row.answer_id,
  })
  const one = (row: Row | undefined) => (row ? toRecord(row) : null)

  const addAnswer = (tx: Transaction<Tables>, { id, flowId }: CallbackRecord, answer: NewAnswer, state: string) =>
    tx
      .insertInto('callback_answer')
      .values({
        id: answer.id,
        callback_id: id,
        state,
        digest: answer.digest,
        sealed: protect.of(flowId).seal(JSON.stringify(answer.data), answerBinding(answer.id)),
        received_at: answer.receivedAt,
      })
      .execute()

  /** Keeps the run as it is until the transaction ends. Returns whether it can still go on. */
  const isUnderWay = async (tx: Transaction<Tables>, runId: string): Promise<boolean> => {
    await lockRuns(tx, [runId])
    const run = await tx.selectFrom('run').select('finished_at').where('id', '=', runId).executeTakeFirst()
    return run !== undefined && run.finished_at === null
  }

  return {
    ...createCallbackJournal(db, ports),
    shownAnswers: (ids, maxBytes) => shownAnswers(db, sealing, ids, maxBytes),

    find: async (token) => one(await records().where('callback.token_digest', '=', digest(token)).executeTakeFirst()),
    get: async (id) => one(await records().where('callback.id', '=', id).executeTakeFirst()),
    at: async (runId, path) =>
      one(await records().where('callback.run_id', '=', runId).where('callback.path', '=', path).executeTakeFirst()),

    async ofRun(runId) {
      const query = records().where('callback.run_id', '=', runId).orderBy('callback.path').limit(MOST_SHOWN)
      return (await query.execute()).map(toRecord)
    },

    async tokens(ids) {
      if (ids.length === 0) return new Map()
      const rows = await db.selectFrom('callback').select(['id', 'sealed']).where('id', 'in', ids).execute()
      return new Map(rows.map((row) => [row.id, sealing.open(row).token]))
    },

    async reads(id) {
      const row = await db.selectFrom('callback').select(['id', 'sealed']).where('id', '=', id).executeTakeFirst()
      return row ? sealing.open(row).reads : {}
    },

    async answerOf(id) {
      const row = await db
        .selectFrom('callback')
        .innerJoin('callback_answer', 'callback_answer.id', 'callback.answer_id')
        .select(['callback_answer.id', 'callback_answer.digest', 'callback_answer.sealed'])
        .where('callback.id', '=', id)
        .executeTakeFirst()
      return row ? { digest: row.digest, data: sealing.openAnswer(row) } : null
    },

    keepEarly: (record, answer) =>
      db.transaction().execute(async (tx) => {
        if (!(await isUnderWay(tx, record.runId))) return 'changed'
        // The row is written first, so that a run that is about to wait sees the answer, or this sees that it waits.
        const { numUpdatedRows } = await tx
          .updateTable('callback')
          .set((eb) => ({ unseen: eb('unseen', '+', 1) }))
          .where('id', '=', record.id)
          .where('state', '=', 'early')
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return 'changed'
        const kept = await tx
          .selectFrom('callback_answer')
          .select(['digest', bytesUpTo(['sealed'], UNBOUNDED).as('bytes')])
          .where('callback_id', '=', record.id)
          .limit(MOST_EARLY)
          .execute()
        const isKnown = kept.some((other) => other.digest === answer.digest)
        const isFull = kept.length === MOST_EARLY || sumOf(kept) >= MOST_EARLY_BYTES
        if (!isKnown && !isFull) {
          await addAnswer(tx, record, answer, 'new')
          return 'kept'
        }
        await tx
          .updateTable('callback')
          .set((eb) => ({ unseen: eb('unseen', '-', 1) }))
          .where('id', '=', record.id)
          .execute()
        return isKnown ? 'known' : 'full'
      }),

    answer: (record, answer) =>
      db.transaction().execute(async (tx) => {
        if (!(await isUnderWay(tx, record.runId))) return false
        const { numUpdatedRows } = await tx
          .updateTable('callback')
          .set({ state: 'answered', answer_id: answer.id, answered_by: answer.by, ended_at: now() })
          .where('id', '=', record.id)
          .where('state', '=', 'open')
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await addAnswer(tx, record, answer, 'taken')
        await wakeRuns(tx, [record.runId], now())
        return true
      }),

    renew: (id) =>
      db.transaction().execute(async (tx) => {
        // A run that begins to wait in the same moment adds what its condition reads.
        const found = tx.selectFrom('callback').select(['id', 'sealed']).where('id', '=', id)
        const row = await locked(tx, found).executeTakeFirstOrThrow()
        const token = newToken()
        const sealed = protect.seal(JSON.stringify({ ...sealing.open(row), token }), callbackBinding(id))
        await tx
          .updateTable('callback')
          .set({ token_digest: digest(token), sealed })
          .where('id', '=', id)
          .execute()
        return token
      }),

    async openApprovals({ limit, cursor }, among = null) {
      let query = records()
        .where(sql<boolean>`callback.state = 'open'`)
        .where('callback.kind', '=', 'approval')
        .where('run.finished_at', 'is', null)
        .orderBy('callback.id')
        .limit(limit + 1)
      if (cursor !== null) query = query.where('callback.id', '>', cursor)
      if (among) query = query.where('run.flow_id', 'in', someOf(among))
      return paged(await query.execute(), limit, (row) => row.id, toRecord)
    },

    async countOpen(most) {
      const open = db.selectFrom('callback').select('id').where(sql<boolean>`state = 'open'`).limit(most)
      const row = await db
        .selectFrom(open.as('open'))
        .select((eb) => eb.fn.countAll<number | string>().as('n'))
        .executeTakeFirstOrThrow()
      return Number(row.n)
    },
  }
}
