// Stores the jobs that replay many runs, with their items.
import { type Kysely, sql } from 'kysely'
import type { ReplayJobRecord, ReplayJobState, ReplayStore } from '../../../operations/ports/replays.ts'
import type { ReplayJobTable } from '../../rows/failures/tables.ts'
import { paged } from '../../rows/paged.ts'
import type { Tables } from '../../rows/tables.ts'
import { deleteOldJobs } from './delete-old-jobs.ts'
import { selectRuns } from './select-runs.ts'

/** A job in this state has not got all of its items yet. */
const MAKING = 'making'
/** How late a turn may be taken and still keep the pace. */
const CATCH_UP_MS = 1_000
const ENDED_WELL = 'succeeded'

export function createReplayStore(db: Kysely<Tables>): Omit<ReplayStore, 'start'> {
  const jobs = () => db.selectFrom('replay_job').selectAll().where('state', '!=', MAKING)
  return {
    select: (selection, after, limit) => selectRuns(db, selection, after, limit),

    async begin({ id, createdAt, createdBy, request, pace }) {
      const none = { total: 0, already_replayed: 0, started: 0, done: 0, failed: 0 }
      const job = { id, created_at: createdAt, created_by: createdBy, request, pace, next_at: createdAt }
      await db
        .insertInto('replay_job')
        .values({ ...job, ...none, state: MAKING, finished_at: null })
        .execute()
    },

    async addItems(jobId, runIds) {
      if (runIds.length === 0) return
      const items = runIds.map((id) => ({
        job_id: jobId,
        run_id: id,
        state: 'waiting',
        replay_id: null,
        problem: null,
      }))
      await db.insertInto('replay_item').values(items).execute()
    },

    async release(id, total, alreadyReplayed) {
      await db
        .updateTable('replay_job')
        .set({ state: 'running', total, already_replayed: alreadyReplayed })
        .where('id', '=', id)
        .where('state', '=', MAKING)
        .execute()
    },

    async get(id) {
      const row = await jobs().where('id', '=', id).executeTakeFirst()
      return row ? toJob(row) : null
    },

    async list({ limit, cursor }) {
      let query = jobs()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (cursor) query = query.where('id', '<', cursor)
      return paged(await query.execute(), limit, (row) => row.id, toJob)
    },

    async setState(id, from, to) {
      const { numUpdatedRows } = await db
        .updateTable('replay_job')
        .set({ state: to })
        .where('id', '=', id)
        .where('state', 'in', from)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async problems(id, limit) {
      const rows = await db
        .selectFrom('replay_item')
        .select((eb) => ['problem', eb.fn.countAll<number>().as('count')])
        .where('job_id', '=', id)
        .where('problem', 'is not', null)
        .groupBy('problem')
        .orderBy('count', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ problem, count }) => ({ message: problem!, count: Number(count) }))
    },

    async active(limit) {
      const rows = await jobs().where(UNFINISHED).orderBy('id').limit(limit).execute()
      return rows.map(toJob)
    },

    async takeTurn(id, now, spacingMs) {
      const late = now - CATCH_UP_MS
      const { numUpdatedRows } = await db
        .updateTable('replay_job')
        .set((eb) => ({
          next_at: sql<number>`${eb
            .case()
            .when('next_at', '<', late)
            .then(sql<number>`cast(${late} as bigint)`)
            .else(eb.ref('next_at'))
            .end()} + ${sql.lit(Math.ceil(spacingMs))}`,
        }))
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where('next_at', '<=', now)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async waiting(id, limit) {
      const rows = await db
        .selectFrom('replay_item')
        .select('run_id')
        .where('job_id', '=', id)
        .where(OPEN)
        .where('state', '=', 'waiting')
        .orderBy('run_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.run_id)
    },

    refuse: (id, runId, problem) =>
      db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('replay_item')
          .set({ state: 'failed', problem })
          .where('job_id', '=', id)
          .where('run_id', '=', runId)
          .where('state', '=', 'waiting')
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return
        await tx
          .updateTable('replay_job')
          .set((eb) => ({ started: eb('started', '+', 1), failed: eb('failed', '+', 1) }))
          .where('id', '=', id)
          .execute()
      }),

    async settle(id, after, limit) {
      let query = db
        .selectFrom('replay_item')
        .leftJoin('run', 'run.id', 'replay_item.replay_id')
        .select(['replay_item.run_id', 'run.id', 'run.status', 'run.finished_at'])
        .where('replay_item.job_id', '=', id)
        .where(OPEN)
        .where('replay_item.state', '=', 'started')
        .orderBy('replay_item.run_id')
        .limit(limit)
      if (after !== null) query = query.where('replay_item.run_id', '>', after)
      const rows = await query.execute()
      // A replay that is gone had ended: only such runs are deleted.
      const ended = rows.filter((row) => row.id === null || row.finished_at !== null)
      const well = ended.filter((row) => row.status === ENDED_WELL).map((row) => row.run_id)
      const badly = ended.filter((row) => row.status !== ENDED_WELL).map((row) => row.run_id)
      if (ended.length) await countEnded(db, id, { done: well, failed: badly })
      return { after: rows.length < limit ? null : rows.at(-1)!.run_id, ended: ended.length }
    },

    async finish(id, now) {
      const { numUpdatedRows } = await db
        .updateTable('replay_job')
        .set((eb) => ({
          finished_at: now,
          state: eb.case().when('state', '=', 'cancelled').then('cancelled').else('done').end(),
        }))
        .where('id', '=', id)
        .where('finished_at', 'is', null)
        .where('state', '!=', MAKING)
        // A cancelled job has ended when the replays that it had started have.
        .where(sql<boolean>`done + failed = case when state = 'cancelled' then started else total end`)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async countActive() {
      const row = await db
        .selectFrom('replay_job')
        .select((eb) => eb.fn.countAll<number>().as('jobs'))
        .where(UNFINISHED)
        .executeTakeFirstOrThrow()
      return Number(row.jobs)
    },

    deleteOlderThan: (before, now, limit) => deleteOldJobs(db, before, now, limit),
  }
}

/** The conditions of the partial indexes, word for word. */
const UNFINISHED = sql<boolean>`finished_at is null`
const OPEN = sql<boolean>`replay_item.state in ('waiting', 'started')`

/** Only items that still count as under way are counted: another process may have been faster. */
const countEnded = (db: Kysely<Tables>, id: string, ended: Record<'done' | 'failed', string[]>): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const counts = { done: 0, failed: 0 }
    for (const state of ['done', 'failed'] as const) {
      if (ended[state].length === 0) continue
      const { numUpdatedRows } = await tx
        .updateTable('replay_item')
        .set({ state })
        .where('job_id', '=', id)
        .where('run_id', 'in', ended[state])
        .where('state', '=', 'started')
        .executeTakeFirst()
      counts[state] = Number(numUpdatedRows)
    }
    await tx
      .updateTable('replay_job')
      .set((eb) => ({ done: eb('done', '+', counts.done), failed: eb('failed', '+', counts.failed) }))
      .where('id', '=', id)
      .execute()
  })

const toJob = (row: ReplayJobTable): ReplayJobRecord => ({
  id: row.id,
  createdAt: row.created_at,
  createdBy: row.created_by,
  request: row.request,
  pace: row.pace,
  state: row.state as ReplayJobState,
  total: row.total,
  alreadyReplayed: row.already_replayed,
  started: row.started,
  done: row.done,
  failed: row.failed,
  nextAt: row.next_at,
  finishedAt: row.finished_at,
})
