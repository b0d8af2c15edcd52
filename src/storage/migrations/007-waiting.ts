// A million runs that wait must not be looked at when the service starts.
import type { Kysely } from 'kysely'
import { sql } from 'kysely'

export async function waiting(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('run_unfinished').execute()
  await sql`create index run_active on run(status, id) where status in ('queued', 'running')`.execute(db)
  await sql`create index run_waiting on run(flow_id, version, id) where status = 'waiting'`.execute(db)
  // The ids of the keys that were given when everything was last known to be readable.
  await db.schema.alterTable('vault_check').addColumn('key_ids', 'text').execute()
}
