// Indexes runs by status for lists in which few of a million match. The indexes hold only runs that wait or ended badly.
import { type Kysely, sql } from 'kysely'

export async function runLists(db: Kysely<unknown>): Promise<void> {
  // The indexes by flow come first: of two that it considers equal, SQLite uses the older one.
  await db.schema.dropIndex('run_failed').execute()
  await sql`create index run_failed_by_flow on run(flow_id, status, id) where status in ('failed', 'cancelled')`.execute(
    db,
  )
  await sql`create index run_failed on run(status, id) where status in ('failed', 'cancelled')`.execute(db)
  await sql`create index run_waiting_by_flow on run(flow_id, id) where status = 'waiting'`.execute(db)
  await sql`create index run_waiting_by_id on run(id) where status = 'waiting'`.execute(db)
}
