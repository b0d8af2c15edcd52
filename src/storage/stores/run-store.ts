// Reads, lists and cancels runs: everything about them that is not on the hot path.
import type { Kysely, Transaction } from 'kysely'
import { idTime } from '../../engine/ids.ts'
import { handlerIdOf, ROUND, type RunError, type RunStatus, shownPath } from '../../engine/ports/run-journal.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { FlowVersion } from '../../operations/ports/flows.ts'
import type { RunStore, UnfinishedRun } from '../../operations/ports/runs.ts'
import { UNBOUNDED, upTo } from '../rows/bounded.ts'
import { paged, someOf } from '../rows/paged.ts'
import { shownStart } from '../rows/request-columns.ts'
import { ACTIVE, INDEXED, WAITING } from '../rows/run-indexes.ts'
import { IS_HANDLER, toRunSummary } from '../rows/run-rows.ts'
import { shownSteps } from '../rows/shown-steps.ts'
import type { Tables } from '../rows/tables.ts'
import { countCancelled, eraseCancelled, lockRuns, wakeRuns } from './cancelled-runs.ts'
import { labelled, labelsLike } from './runs/labelled-runs.ts'

const SUMMARY = [
  'id',
  'flow_id',
  'version',
  'status',
  'test',
  'error',
  'created_at',
  'started_at',
  'finished_at',
  'replay_of',
  'trigger',
  'parent_run',
  'parent_step',
  'parent_waits',
  'edited',
  'labels',
  'erased',
] as const
/** Bounds the steps of a run that is shown: a loop of a hundred thousand rounds must not fill memory. */
const MOST_STEPS = 5_000
/** Bounds the replays that are looked through for a page of runs. */
const MOST_REPLAYS = 1_000
const UNFINISHED = ['queued', 'running', 'waiting'] as const
const BRIEF = ['id', 'flow_id', 'version', 'status', 'resume_at'] as const

const toUnfinished = (row: {
  id: string
  flow_id: string
  version: number | null
  status: string
  resume_at: number | null
}): UnfinishedRun => ({
  id: row.id,
  flowId: row.flow_id,
  version: row.version,
  status: row.status as RunStatus,
  resumeAt: row.resume_at,
})

export function createRunStore(db: Kysely<Tables>): Omit<RunStore, 'accept' | 'operate' | 'original'> {
  return {
    async get(id, maxBodyBytes = UNBOUNDED) {
      const row = await db
        .selectFrom('run')
        .select([...SUMMARY, 'request', upTo<Uint8Array>('raw_body', maxBodyBytes).as('raw_body')])
        .where('id', '=', id)
        .where('test', '!=', IS_HANDLER)
        .executeTakeFirst()
      return row ? { ...toRunSummary(row), ...shownStart(row) } : null
    },

    steps: (id, maxBytes) =>
      shownSteps(db.selectFrom('step').where('run_id', '=', id).orderBy('seq').limit(MOST_STEPS), maxBytes),

    async handler(id) {
      const row = await db.selectFrom('run').select(SUMMARY).where('id', '=', handlerIdOf(id)).executeTakeFirst()
      return row ? toRunSummary(row) : null
    },

    async followed(id) {
      const row = await db
        .selectFrom('run')
        .select(['flow_id', 'version', 'document'])
        .where('id', '=', id)
        .where('test', '!=', IS_HANDLER)
        .executeTakeFirst()
      return row ? { flowId: row.flow_id, version: row.version, document: row.document } : null
    },

    async seqOf(id, path) {
      const row = await db
        .selectFrom('step')
        .select('seq')
        .where('run_id', '=', id)
        .where('path', '=', path)
        .where('kind', '!=', ROUND)
        .executeTakeFirst()
      return row?.seq ?? null
    },

    async stepPart(id, path, part) {
      const row = await db
        .selectFrom('step')
        .select(part)
        .where('run_id', '=', id)
        .where('path', '=', path)
        .executeTakeFirst()
      return row?.[part] ?? null
    },

    async body(id) {
      const row = await db.selectFrom('run').select('raw_body').where('id', '=', id).executeTakeFirst()
      return row?.raw_body ?? null
    },

    stepsPage: (id, { under, after, limit, maxBytes }) =>
      shownSteps(
        db
          .selectFrom('step')
          .where('run_id', '=', id)
          // The primary key finds them: no path has a character after U+FFFF.
          .where('path', '>=', under)
          .where('path', '<', `${under}\u{10ffff}`)
          .where('seq', '>', after)
          .orderBy('seq')
          .limit(limit),
        maxBytes,
      ),

    async replaysOf(ids) {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('run')
        .select(['replay_of', 'id', 'status'])
        .where('replay_of', 'in', ids)
        .orderBy('id', 'desc')
        .limit(MOST_REPLAYS)
        .execute()
      // The first of each is its newest.
      return new Map(rows.toReversed().map((row) => [row.replay_of!, { run: row.id, status: row.status as RunStatus }]))
    },

    async failedAt(id) {
      const run = await db.selectFrom('run').select('error').where('id', '=', id).executeTakeFirst()
      const step = run?.error ? (parseJson(run.error) as RunError).step : undefined
      if (step === undefined) return null
      const failed = await db
        .selectFrom('step')
        .select('path')
        .where('run_id', '=', id)
        .where('id', '=', step)
        .where('status', '=', 'failed')
        .where('kind', '!=', ROUND)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return failed?.path ?? null
    },

    async latestOf(flowIds) {
      if (flowIds.length === 0) return []
      // The query reads the index once per flow, however many runs it has.
      const rows = await db
        .selectFrom('flow')
        .innerJoin('run', (join) =>
          join.on('run.id', '=', (eb) =>
            eb
              .selectFrom('run as newest')
              .select((of) => of.fn.max('newest.id').as('id'))
              .whereRef('newest.flow_id', '=', 'flow.id')
              .where('newest.test', '!=', IS_HANDLER),
          ),
        )
        .select(['run.flow_id', 'run.id', 'run.status', 'run.created_at'])
        .where('flow.id', 'in', flowIds)
        .execute()
      return rows.map((row) => ({
        flowId: row.flow_id,
        id: row.id,
        status: row.status as RunStatus,
        createdAt: row.created_at,
      }))
    },

    async list({ flowId, status, since, until, failure = null, labels, among = null }, { limit, cursor }) {
      const runs = db
        .selectFrom('run')
        .select(SUMMARY)
        .where('test', '!=', IS_HANDLER)
        .limit(limit + 1)
      const { query: found, id } = await labelled(db, runs, { labels, flowId, status })
      let query = found
      if (status) {
        query = query.where('status', '=', status)
        const condition = INDEXED[status]
        if (condition) query = query.where(condition)
      }
      if (failure !== null) query = query.where('failure', '=', failure)
      if (among) query = query.where('run.flow_id', 'in', someOf(among))
      // An id begins with its time.
      if (since !== null) query = query.where(id, '>=', `run_${idTime(since)}`)
      if (until !== null) query = query.where(id, '<', `run_${idTime(until)}`)
      if (cursor) query = query.where(id, '<', cursor)
      return paged(await query.execute(), limit, (row) => row.id, toRunSummary)
    },

    labelsLike: (beginning, limit) => labelsLike(db, beginning, limit),

    cancel: (given, at, error) =>
      db.transaction().execute(async (tx) => {
        const chosen = [given].flat()
        const parents = await tx
          .selectFrom('run')
          .select(['id', 'parent_run'])
          .where('id', 'in', chosen)
          .where('parent_waits', '=', 1)
          .execute()
        // All that is changed is locked first, in order, so that no other transaction can hold a part of it.
        const below: { id: string }[] = chosen.map((id) => ({ id }))
        for (let level = below; level.length; below.push(...level))
          level = (await awaitedBy(tx, level)).map((id) => ({ id }))
        await lockRuns(tx, [...below.map(({ id }) => id), ...parents.map((row) => row.parent_run!)])
        const cancelled: { id: string; flowId: string }[] = []
        // Runs that a cancelled one waits for are cancelled with it, level by level.
        for (let ids = chosen; ids.length; ) {
          const ended = await cancelAll(tx, ids, at, JSON.stringify(error))
          cancelled.push(...ended)
          ids = await awaitedBy(tx, ended)
        }
        const ended = new Set(cancelled.map(({ id }) => id))
        const waiting = parents.filter(({ id }) => ended.has(id)).map((row) => row.parent_run!)
        await wakeRuns(tx, waiting, at)
        return cancelled
      }),

    async children(id, limit) {
      const rows = await db
        .selectFrom('run')
        .select(['id', 'parent_run', 'parent_step', 'flow_id', 'status'])
        .where('parent_run', 'in', [id, handlerIdOf(id)])
        .where('test', '!=', IS_HANDLER)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        run: row.id,
        step: shownPath(row.parent_run!, row.parent_step!),
        flow: row.flow_id,
        status: row.status as RunStatus,
      }))
    },

    async active(status, after, limit) {
      let query = db
        .selectFrom('run')
        .select(BRIEF)
        .where(ACTIVE)
        .where('status', '=', status)
        .orderBy('id')
        .limit(limit)
      if (after) query = query.where('id', '>', after)
      return (await query.execute()).map(toUnfinished)
    },

    async waitingVersions() {
      const first = db
        .selectFrom('run')
        .select(['flow_id', 'version'])
        .where(WAITING)
        .where('version', 'is not', null)
        .orderBy('flow_id')
        .orderBy('version')
        .limit(1)
      const versions: FlowVersion[] = []
      // Two reads of the index per version, however many of its runs wait. Comparing the pair would read all of them.
      for (let row = await first.executeTakeFirst(); row; ) {
        const { flow_id: flowId, version } = row
        versions.push({ flowId, version: version! })
        row =
          (await first.where('flow_id', '=', flowId).where('version', '>', version).executeTakeFirst()) ??
          (await first.where('flow_id', '>', flowId).executeTakeFirst())
      }
      return versions
    },

    async waiting({ flowId, version }, after, limit) {
      let query = db
        .selectFrom('run')
        .select(BRIEF)
        .where(WAITING)
        .where('flow_id', '=', flowId)
        .where('version', '=', version)
        // A run that waits for a callback holds no place.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('step')
                .select('step.id')
                .whereRef('step.run_id', '=', 'run.id')
                .where('step.status', '=', 'waiting')
                .where('step.outcome', '=', 'callback'),
            ),
          ),
        )
        .orderBy('id')
        .limit(limit)
      if (after) query = query.where('id', '>', after)
      return (await query.execute()).map(toUnfinished)
    },

    async due(now, limit) {
      const rows = await db
        .selectFrom('run')
        .select(BRIEF)
        .where(WAITING)
        .where('resume_at', '<=', now)
        .orderBy('resume_at')
        .limit(limit)
        .execute()
      const next = await db
        .selectFrom('run')
        .select((eb) => eb.fn.min('resume_at').as('at'))
        .where(WAITING)
        .where('resume_at', '>', now)
        .executeTakeFirst()
      return { runs: rows.map(toUnfinished), nextAt: rows.length === limit ? now : (next?.at ?? null) }
    },

    async countRecovered() {
      const { numUpdatedRows } = await db
        .updateTable('run')
        .set((eb) => ({ attempt: eb('attempt', '+', 1) }))
        .where(ACTIVE)
        .where('status', '=', 'running')
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },
  }
}

async function cancelAll(
  tx: Transaction<Tables>,
  ids: readonly string[],
  at: number,
  error: string,
): Promise<{ id: string; flowId: string }[]> {
  const rows = await tx
    .updateTable('run')
    .set((eb) => ({
      status: 'cancelled',
      finished_at: at,
      resume_at: null,
      error,
      // The new epoch ends the claim of the process that runs it.
      epoch: eb('epoch', '+', 1),
    }))
    .where('id', 'in', ids)
    .where('status', 'in', UNFINISHED)
    .returning(['id', 'flow_id', 'test'])
    .execute()
  for (const [flowId, runs] of Map.groupBy(
    rows.filter(({ test }) => test === 0),
    (row) => row.flow_id,
  ))
    await countCancelled(tx, flowId, at, runs.length)
  await eraseCancelled(tx, rows)
  const cancelled = rows.map((row) => ({ id: row.id, flowId: row.flow_id }))
  if (cancelled.length)
    await tx
      .updateTable('step')
      .set({ status: 'cancelled', finished_at: at, resume_at: null })
      .where(
        'run_id',
        'in',
        cancelled.map((run) => run.id),
      )
      .where('status', 'in', ['running', 'waiting'])
      .execute()
  return cancelled
}

/** Returns the unfinished runs that these runs wait for. */
async function awaitedBy(tx: Transaction<Tables>, runs: readonly { id: string }[]): Promise<string[]> {
  if (runs.length === 0) return []
  const rows = await tx
    .selectFrom('run')
    .select('id')
    .where(
      'parent_run',
      'in',
      runs.map(({ id }) => id),
    )
    .where('parent_waits', '=', 1)
    .where('status', 'in', UNFINISHED)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
