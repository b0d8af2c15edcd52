// Stores the schedules of published flows, and tells of their planned times.
import type { Kysely, Transaction } from 'kysely'
import type { RunStatus } from '../../engine/ports/run-journal.ts'
import type { PlanSchedule, ScheduleStore } from '../../operations/ports/schedules.ts'
import { locked } from '../rows/dialect.ts'
import { toSchedule } from '../rows/schedule-rows.ts'
import type { Tables } from '../rows/tables.ts'

export function createScheduleStore(db: Kysely<Tables>): Omit<ScheduleStore, 'due' | 'fire'> {
  return {
    async isUnderWay(flowId) {
      const latest = await db
        .selectFrom('occurrence')
        .leftJoin('run', 'run.id', 'occurrence.run_id')
        .select('run.finished_at')
        .select('run.id')
        .where('occurrence.flow_id', '=', flowId)
        .where('occurrence.run_id', 'is not', null)
        .orderBy('occurrence.at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return latest !== undefined && latest.id !== null && latest.finished_at === null
    },

    async get(flowId) {
      const row = await db
        .selectFrom('schedule')
        .innerJoin('flow', 'flow.id', 'schedule.flow_id')
        .selectAll('schedule')
        .select('flow.paused_at')
        .where('schedule.flow_id', '=', flowId)
        .executeTakeFirst()
      return row ? { ...toSchedule(row), paused: row.paused_at !== null } : null
    },

    async last(flowId, limit) {
      const rows = await db
        .selectFrom('occurrence')
        .leftJoin('run', 'run.id', 'occurrence.run_id')
        .select(['occurrence.at', 'occurrence.run_id', 'run.status'])
        .where('occurrence.flow_id', '=', flowId)
        .orderBy('occurrence.at', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ at, run_id, status }) => ({ at, runId: run_id, status: status as RunStatus | null }))
    },
  }
}

/** Gives the version that goes live its schedule, or none, inside the transaction that publishes it. */
export async function putSchedule(
  tx: Transaction<Tables>,
  flowId: string,
  version: number,
  plan: PlanSchedule | null,
): Promise<void> {
  if (plan === null) {
    await tx.deleteFrom('schedule').where('flow_id', '=', flowId).execute()
    return
  }
  const held = await locked(tx, tx.selectFrom('schedule').selectAll().where('flow_id', '=', flowId)).executeTakeFirst()
  const last = await tx
    .selectFrom('occurrence')
    .select((eb) => eb.fn.max('at').as('at'))
    .where('flow_id', '=', flowId)
    .executeTakeFirst()
  const planned = plan(held ? toSchedule(held) : null, last?.at ?? null)
  const row = {
    version,
    settings: planned.settings,
    next_at: planned.nextAt,
    runs_at: planned.runsAt,
    previous_at: planned.previousAt,
    since: planned.since,
    missed: planned.missed,
  }
  await tx
    .insertInto('schedule')
    .values({ flow_id: flowId, ...row })
    .onConflict((conflict) => conflict.column('flow_id').doUpdateSet(row))
    .execute()
}
