// Counts the runs of each flow by hour.
import type { Kysely } from 'kysely'
import type { ActivityStore } from '../../operations/ports/flows.ts'
import type { Tables } from '../rows/tables.ts'

export function createActivityStore(db: Kysely<Tables>): ActivityStore {
  return {
    async add(counts) {
      // Every process uses one order, so that no two wait for each other.
      const sorted = counts.toSorted((a, b) => (a.flowId < b.flowId ? -1 : 1))
      await db
        .insertInto('flow_hour')
        .values(sorted.map(({ flowId, hour, runs, failed }) => ({ flow_id: flowId, hour, runs, failed })))
        .onConflict((conflict) =>
          conflict.columns(['flow_id', 'hour']).doUpdateSet((eb) => ({
            runs: eb('flow_hour.runs', '+', eb.ref('excluded.runs')),
            failed: eb('flow_hour.failed', '+', eb.ref('excluded.failed')),
          })),
        )
        .execute()
    },

    async since(flowIds, hour) {
      if (flowIds.length === 0) return []
      const rows = await db
        .selectFrom('flow_hour')
        .selectAll()
        .where('flow_id', 'in', flowIds)
        .where('hour', '>=', hour)
        .execute()
      return rows.map((row) => ({ flowId: row.flow_id, hour: row.hour, runs: row.runs, failed: row.failed }))
    },

    async deleteBefore(hour) {
      await db.deleteFrom('flow_hour').where('hour', '<', hour).execute()
    },
  }
}
