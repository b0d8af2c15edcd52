// What a run does with its callbacks: makes their URLs, waits, and goes on with an answer. Each is one statement or transaction
// of its own, and has the same effect however often it is done: a run that is taken up again finds how far it was.
import type { Kysely } from 'kysely'
import type { Ids } from '../../../engine/ids.ts'
import type { CallbackData, CallbackJournal, CallbackState, RunCallback } from '../../../engine/ports/callbacks.ts'
import { parseJson } from '../../../flow/json/parse-json.ts'
import type { Protect } from '../../../operations/ports/secrets.ts'
import { answerBinding, callbackBinding } from '../../rows/bindings.ts'
import type { CallbackTable } from '../../rows/callbacks/tables.ts'
import type { Tables } from '../../rows/tables.ts'

/** What is sealed of a callback. */
export interface SealedCallback {
  token: string
  /** What the condition of its step reads of the run. */
  reads: Record<string, unknown>
}

/** What a callback store needs besides the database. */
export interface CallbackPorts {
  protect: Protect
  ids: Ids
  now(): number
  /** Returns the URL of a token. */
  urlOf(token: string, isApproval: boolean): string
  newToken(): string
  digest(text: string): string
}

const UNANSWERED = ['early', 'open'] as const
/** From these a run that reaches the step waits: also if an earlier attempt timed out, or did not count. */
const BEFORE_OPEN = ['early', 'timedOut', 'cancelled'] as const

export function sealingOf(protect: Protect) {
  return {
    seal: (id: string, content: SealedCallback): string => protect.seal(JSON.stringify(content), callbackBinding(id)),
    open: ({ id, sealed }: Pick<CallbackTable, 'id' | 'sealed'>): SealedCallback =>
      parseJson(protect.reveal(sealed, callbackBinding(id))) as SealedCallback,
    openAnswer: ({ id, sealed }: { id: string; sealed: string }): CallbackData =>
      parseJson(protect.reveal(sealed, answerBinding(id))) as CallbackData,
  }
}

export function createCallbackJournal(db: Kysely<Tables>, ports: CallbackPorts): CallbackJournal {
  const { protect, ids, now, urlOf, newToken, digest } = ports
  const sealing = sealingOf(protect)

  const find = (runId: string, path: string) =>
    db
      .selectFrom('callback')
      .leftJoin('callback_answer', 'callback_answer.id', 'callback.answer_id')
      .select(['callback.id', 'callback.state', 'callback.expires_at', 'callback.sealed', 'callback.answer_id'])
      .select('callback_answer.sealed as answer')
      .where('callback.run_id', '=', runId)
      .where('callback.path', '=', path)
      .executeTakeFirst()

  const toRunCallback = (row: NonNullable<Awaited<ReturnType<typeof find>>>): RunCallback => ({
    id: row.id,
    token: sealing.open(row).token,
    state: row.state as CallbackState,
    expiresAt: row.expires_at,
    answer: row.answer === null ? null : sealing.openAnswer({ id: row.answer_id!, sealed: row.answer }),
  })

  return {
    async of({ runId, path, step, isApproval }) {
      for (;;) {
        const found = await find(runId, path)
        if (found) return toRunCallback(found)
        const id = ids.next('cbk')
        const token = newToken()
        // Another claim of the run may have made it meanwhile: then that one counts.
        await db
          .insertInto('callback')
          .values({
            id,
            run_id: runId,
            path,
            step,
            kind: isApproval ? 'approval' : 'callback',
            state: 'early',
            token_digest: digest(token),
            sealed: sealing.seal(id, { token, reads: {} }),
            asks: null,
            unseen: 0,
            created_at: now(),
            opened_at: null,
            expires_at: null,
            ended_at: null,
            answer_id: null,
            answered_by: null,
          })
          .onConflict((conflict) => conflict.columns(['run_id', 'path']).doNothing())
          .execute()
      }
    },

    urlOf,

    async unseen(id, limit) {
      const rows = await db
        .selectFrom('callback_answer')
        .select(['id', 'sealed'])
        .where('callback_id', '=', id)
        .where('state', '=', 'new')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ id: row.id, data: sealing.openAnswer(row) }))
    },

    async open(id, flowId, { expiresAt, asks, reads }) {
      const row = await db.selectFrom('callback').select(['id', 'sealed']).where('id', '=', id).executeTakeFirst()
      if (!row) return
      await db
        .updateTable('callback')
        .set({
          state: 'open',
          opened_at: now(),
          expires_at: expiresAt,
          ended_at: null,
          sealed: protect.of(flowId).seal(JSON.stringify({ ...sealing.open(row), reads }), callbackBinding(id)),
          asks: asks && protect.of(flowId).json(JSON.stringify(asks)),
        })
        .where('id', '=', id)
        // A URL that was renewed meanwhile must not come back.
        .where('sealed', '=', row.sealed)
        .where('state', 'in', BEFORE_OPEN)
        // On PostgreSQL this counts the answers that were stored while the statement waited for the row.
        .where('unseen', '=', 0)
        .execute()
    },

    async take(id, answerId) {
      await db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('callback')
          .set({ state: 'answered', answer_id: answerId, ended_at: now(), unseen: 0 })
          .where('id', '=', id)
          .where('state', 'in', BEFORE_OPEN)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return
        await tx.updateTable('callback_answer').set({ state: 'taken' }).where('id', '=', answerId).execute()
      })
    },

    async pass(id, answerId) {
      await db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('callback_answer')
          .set({ state: 'passed' })
          .where('id', '=', answerId)
          .where('state', '=', 'new')
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return
        await tx
          .updateTable('callback')
          .set((eb) => ({ unseen: eb('unseen', '-', 1) }))
          .where('id', '=', id)
          .execute()
      })
    },

    async timeOut(id) {
      const { numUpdatedRows } = await db
        .updateTable('callback')
        .set({ state: 'timedOut', ended_at: now() })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async cancelUnder(runId, prefix) {
      await db
        .updateTable('callback')
        .set({ state: 'cancelled', ended_at: now() })
        .where('run_id', '=', runId)
        .where('path', '>=', prefix)
        .where('path', '<', `${prefix}\u{10ffff}`)
        .where('state', 'in', UNANSWERED)
        .execute()
    },
  }
}
