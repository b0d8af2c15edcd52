// Reads the counters, and deletes old ones.
import { type Kysely, sql } from 'kysely'
import { type FlowHour, KEPT_HOURS, KEPT_MINUTES, MINUTE_MS, type StatsStore } from '../../operations/ports/stats.ts'
import {
  ALL_FLOWS,
  COUNT_COLUMNS,
  COUNT_TABLES,
  type CountRow,
  columnsOfCounts,
  toCounts,
} from '../rows/flow-counts.ts'
import { WAITING } from '../rows/run-indexes.ts'
import type { Tables } from '../rows/tables.ts'
import { foldDeltas } from './fold-deltas.ts'

/** PostgreSQL adds up large numbers as decimals, which would arrive as text. */
const SUMS = sql.raw(COUNT_COLUMNS.map((name) => `cast(sum(${name}) as bigint) as ${name}`).join(', '))

export function createStatsStore(db: Kysely<Tables>): StatsStore {
  return {
    settle: () => foldDeltas(db),

    async series(flowId, unit, from, step) {
      const table = unit === 'minute' ? 'flow_minute' : 'flow_hour'
      const slot = sql`${sql.ref(unit)} / ${sql.lit(step)}`
      const { rows } = await sql<CountRow & { slot: number }>`select ${slot} as slot, ${SUMS} from ${sql.table(table)}
        where flow_id = ${flowId ?? ALL_FLOWS} and ${sql.ref(unit)} >= ${from} group by ${slot} order by ${slot}`.execute(
        db,
      )
      return rows.map((row) => ({ slot: row.slot, ...toCounts(row) }))
    },

    async flows(after, limit, fromHour) {
      let query = db.selectFrom('flow').select(['id', 'name']).orderBy('id').limit(limit)
      if (after !== null) query = query.where('id', '>', after)
      const flows = await query.execute()
      if (flows.length === 0) return []
      const ids = sql.join(flows.map(({ id }) => id))
      // The primary key leads to the hours of each flow.
      const { rows } = await sql<CountRow & { flow_id: string }>`select flow_id, ${SUMS} from flow_hour
        where flow_id in (${ids}) and hour >= ${fromHour} group by flow_id`.execute(db)
      const byFlow = new Map(rows.map((row) => [row.flow_id as string, row]))
      return flows.map(({ id, name }) => ({ flowId: id, name, ...toCounts(byFlow.get(id) ?? {}) }))
    },

    async hours(flowIds, fromHour): Promise<FlowHour[]> {
      if (flowIds.length === 0) return []
      const rows = await db
        .selectFrom('flow_hour')
        .select(['flow_id', 'hour', 'started', 'failed'])
        .where('flow_id', 'in', flowIds)
        .where('hour', '>=', fromHour)
        .execute()
      return rows.map((row) => ({ flowId: row.flow_id, hour: row.hour, runs: row.started, failed: row.failed }))
    },

    async errors(flowIds, fromHour) {
      if (flowIds.length === 0) return []
      const { rows } = await sql<{ flow_id: string; code: string; runs: number }>`
        select flow_id, code, cast(sum(runs) as bigint) as runs from flow_error
        where flow_id in (${sql.join(flowIds)}) and hour >= ${fromHour} group by flow_id, code`.execute(db)
      return rows.map((row) => ({ flowId: row.flow_id, code: row.code, runs: row.runs }))
    },

    async waiting(flowId, most) {
      const ofFlow = flowId === null ? sql`` : sql`and run.flow_id = ${flowId}`
      const { rows } = await sql<{ runs: number }>`select count(*) as runs from
        (select 1 from run where ${WAITING} ${ofFlow} limit ${most}) as those`.execute(db)
      return rows[0]!.runs
    },

    async deleteOld(now, limit) {
      const minute = Math.floor(now / MINUTE_MS)
      const before = { minute: minute - KEPT_MINUTES, hour: Math.floor(minute / 60) - KEPT_HOURS }
      let deleted = 0
      for (const table of COUNT_TABLES) {
        const keys = columnsOfCounts(table).keys.map((key) => sql.ref(key))
        const time = table === 'flow_minute' ? 'minute' : 'hour'
        const old = sql`select ${sql.join(keys)} from ${sql.table(table)} where ${sql.ref(time)} < ${before[time]} limit ${limit}`
        const { numAffectedRows } =
          await sql`delete from ${sql.table(table)} where (${sql.join(keys)}) in (${old})`.execute(db)
        deleted += Number(numAffectedRows ?? 0)
      }
      return deleted
    },
  }
}
