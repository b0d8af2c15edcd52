// Deletes what has expired, in small parts.
import type { Kysely } from 'kysely'
import { handlerIdOf } from '../../engine/ports/run-journal.ts'
import type { Housekeeping } from '../../operations/ports/upkeep.ts'
import { alone } from '../rows/dialect.ts'
import type { Tables } from '../rows/tables.ts'
import { expiredRows, expiredRuns, timesOf } from './retention/expired.ts'
import { deleteLabels } from './runs/labelled-runs.ts'

export function createHousekeeping(db: Kysely<Tables>): Housekeeping {
  return {
    deleteOlderThan: (before, now, limit) =>
      db.transaction().execute(async (tx) => {
        // One process at a time is enough for this work.
        if (!(await alone(tx, 'housekeeping'))) return 0
        const times = await timesOf(tx, before, now)
        const old = await expiredRuns(tx, times, limit)
        // A failure handler goes with its run, even if it is under way: its claim is lost then.
        const ids = [...new Set(old.flatMap(({ id }) => [id, handlerIdOf(id)]))]
        if (ids.length) {
          await deleteLabels(tx, old)
          await tx.deleteFrom('step').where('run_id', 'in', ids).execute()
          await tx.deleteFrom('run').where('id', 'in', ids).execute()
        }
        let deleted = old.length
        for (const table of ['delivery', 'sample'] as const) {
          const rows = await expiredRows(tx, table, times, limit)
          if (rows.length) await tx.deleteFrom(table).where('id', 'in', rows).execute()
          deleted += rows.length
        }
        const passed = await tx
          .selectFrom('occurrence')
          .select(['flow_id', 'at'])
          .where('at', '<', before)
          .orderBy('at')
          .limit(limit)
          .execute()
        for (const { flow_id, at } of passed)
          await tx.deleteFrom('occurrence').where('flow_id', '=', flow_id).where('at', '=', at).execute()
        deleted += passed.length
        for (const table of ['dedupe', 'key_value'] as const) {
          const expired = await tx
            .selectFrom(table)
            .select(['flow_id', 'key'])
            .where('expires_at', '<', now)
            .limit(limit)
            .execute()
          for (const { flow_id, key } of expired)
            await tx.deleteFrom(table).where('flow_id', '=', flow_id).where('key', '=', key).execute()
          deleted += expired.length
        }
        for (const table of ['user_session', 'invitation'] as const) {
          const expired = tx.selectFrom(table).select('id').where('expires_at', '<', now).limit(limit)
          const result = await tx.deleteFrom(table).where('id', 'in', expired).executeTakeFirst()
          deleted += Number(result.numDeletedRows)
        }
        return deleted
      }),
  }
}
