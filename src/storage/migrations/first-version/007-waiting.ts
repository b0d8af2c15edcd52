// Indexes waiting runs apart from active ones, so that a start does not read a million of them.
import type { Kysely } from 'kysely'
import { sql } from 'kysely'

export async function waiting(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('run_unfinished').execute()
  await sql`create index run_active on run(status, id) where status in ('queued', 'running')`.execute(db)
  await sql`create index run_waiting on run(flow_id, version, id) where status = 'waiting'`.execute(db)
  // Holds the ids of the keys that were configured when everything was last known to be readable.
  await db.schema.alterTable('vault_check').addColumn('key_ids', 'text').execute()
}
