// Deletes the data of runs that have ended and whose flow does not keep it. The end of a run marks it; this does the rest, also
// after a crash. A part that was done before is not done again.
import { type Kysely, sql, type Transaction } from 'kysely'
import { handlerIdOf } from '../../../engine/ports/run-journal.ts'
import type { Protect } from '../../../operations/ports/secrets.ts'
import type { Erasing } from '../../../operations/ports/upkeep.ts'
import { dropUses } from '../../files/file-rows.ts'
import { answerBinding } from '../../rows/bindings.ts'
import { alone } from '../../rows/dialect.ts'
import { erasedStart } from '../../rows/request-columns.ts'
import { ERASED, TO_ERASE } from '../../rows/run-rows.ts'
import type { RunTable, Tables } from '../../rows/tables.ts'
import { sealingOf } from '../callbacks/callback-journal.ts'

/** The rows that one transaction changes: a loop may have left a hundred thousand. */
const MOST_ROWS = 500

const STEP_DATA = ['decision', 'input', 'output', 'logs', 'sealed'] as const
const NO_STEP_DATA = { decision: null, input: null, output: null, logs: null, sealed: null }

type Marked = Pick<RunTable, 'id' | 'flow_id' | 'request' | 'trigger'>

export function createErasing(db: Kysely<Tables>, protect: Protect): Erasing {
  /** Returns null if another process does this work already. */
  const step = <T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T | null> =>
    db.transaction().execute(async (tx) => ((await alone(tx, 'erasing')) ? work(tx) : null))

  /** Erases in small parts, so that no webhook waits for it. Returns whether all of it is done. */
  const erase = async (run: Marked): Promise<boolean> => {
    for (let left: boolean | null = true; left; ) {
      left = await step((tx) => eraseSteps(tx, run.id))
      if (left === null) return false
    }
    for (let left: boolean | null = true; left; ) {
      left = await step((tx) => eraseAnswers(tx, run, protect))
      if (left === null) return false
    }
    for (let after: string | null = ''; after !== null; ) {
      const last: string | null = after
      const page: { after: string | null } | null = await step((tx) => eraseCallbacks(tx, run, last, protect))
      if (page === null) return false
      after = page.after
    }
    const change = { ...erasedStart(run), sealed: null, erased: ERASED }
    const done = await step(async (tx) => {
      await dropUses(tx, [run.id])
      await tx.updateTable('run').set(change).where('id', '=', run.id).execute()
      return true
    })
    return done !== null
  }

  return {
    async eraseSome(before, limit) {
      let erased = 0
      for (const run of await marked(db, before, limit)) {
        if (!(await erase(run))) return erased
        erased++
      }
      return erased
    },
  }
}

/** Returns runs whose data nobody needs any more: neither their failure handler, nor a run that takes their result. */
const marked = (db: Kysely<Tables>, before: number, limit: number): Promise<Marked[]> =>
  db
    .selectFrom('run')
    .select(['id', 'flow_id', 'request', 'trigger'])
    .where(sql<boolean>`erased = ${sql.lit(TO_ERASE)}`)
    .where('finished_at', '<=', before)
    .where(
      sql<boolean>`not exists (select 1 from run as handler where handler.id = run.id || ${handlerIdOf('')}
        and handler.finished_at is null)`,
    )
    .where(
      sql<boolean>`not exists (select 1 from run as parent where run.parent_waits = 1 and parent.id = run.parent_run
        and parent.finished_at is null and not exists (select 1 from step where step.run_id = parent.id
        and step.path = run.parent_step and step.finished_at is not null))`,
    )
    .orderBy('finished_at')
    .limit(limit)
    .execute()

/** Returns whether there may be more. */
async function eraseSteps(tx: Transaction<Tables>, runId: string): Promise<boolean> {
  const some = tx
    .selectFrom('step')
    .select('path')
    .where('run_id', '=', runId)
    .where((step) => step.or(STEP_DATA.map((column) => step(column, 'is not', null))))
    .limit(MOST_ROWS)
  const { numUpdatedRows } = await tx
    .updateTable('step')
    .set(NO_STEP_DATA)
    .where('run_id', '=', runId)
    .where('path', 'in', some)
    .executeTakeFirst()
  return numUpdatedRows >= MOST_ROWS
}

const NOTHING = '{}'

/** Erases what came in. The digests stay, by which an answer that is sent again is recognized. */
async function eraseAnswers(tx: Transaction<Tables>, { id, flow_id }: Marked, protect: Protect): Promise<boolean> {
  const rows = await tx
    .selectFrom('callback_answer')
    .innerJoin('callback', 'callback.id', 'callback_answer.callback_id')
    .select('callback_answer.id')
    .where('callback.run_id', '=', id)
    .where('callback_answer.state', '!=', ERASED_ANSWER)
    .limit(MOST_ROWS)
    .execute()
  for (const row of rows)
    await tx
      .updateTable('callback_answer')
      .set({ state: ERASED_ANSWER, sealed: protect.of(flow_id).seal(NOTHING, answerBinding(row.id)) })
      .where('id', '=', row.id)
      .execute()
  return rows.length === MOST_ROWS
}

const ERASED_ANSWER = 'erased'

/** Erases what a person was asked, and what the condition of the step read of the run; the URL stays. */
async function eraseCallbacks(
  tx: Transaction<Tables>,
  { id, flow_id }: Marked,
  after: string,
  protect: Protect,
): Promise<{ after: string | null }> {
  const sealing = sealingOf(protect.of(flow_id))
  const rows = await tx
    .selectFrom('callback')
    .select(['id', 'path', 'sealed'])
    .where('run_id', '=', id)
    .where('path', '>', after)
    .orderBy('path')
    .limit(MOST_ROWS)
    .execute()
  for (const row of rows) {
    const { token } = sealing.open(row)
    await tx
      .updateTable('callback')
      .set({ asks: null, sealed: sealing.seal(row.id, { token, reads: {} }) })
      .where('id', '=', row.id)
      .execute()
  }
  return { after: rows.length === MOST_ROWS ? rows.at(-1)!.path : null }
}
