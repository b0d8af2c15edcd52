// Makes runs due that wait for another run to end, where that run ends outside of the hot path.
import { type Kysely, sql } from 'kysely'
import { isPostgres, locked } from './dialect.ts'
import type { Tables } from './tables.ts'

/** Locks runs in the order of their ids, as every transaction does that changes several. */
export async function lockRuns(tx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length) await locked(tx, tx.selectFrom('run').select('id').where('id', 'in', ids).orderBy('id')).execute()
}

export async function wakeRuns(tx: Kysely<Tables>, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return
  const query = tx.updateTable('run').set({ resume_at: at }).where('id', 'in', ids).where('status', '=', 'waiting')
  if (!isPostgres(tx)) await query.execute()
  else
    await query
      .set({ due_at: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint` } as never)
      .where(sql<boolean>`worker is null`)
      .execute()
}
