// Lists of runs by their status, where few of a million match. Only runs that wait, or ended badly, are in these.
import { type Kysely, sql } from 'kysely'

export async function runLists(db: Kysely<unknown>): Promise<void> {
  // Those by flow come first: of two that it takes for equally good, SQLite uses the older one.
  await db.schema.dropIndex('run_failed').execute()
  await sql`create index run_failed_by_flow on run(flow_id, status, id) where status in ('failed', 'cancelled')`.execute(
    db,
  )
  await sql`create index run_failed on run(status, id) where status in ('failed', 'cancelled')`.execute(db)
  await sql`create index run_waiting_by_flow on run(flow_id, id) where status = 'waiting'`.execute(db)
  await sql`create index run_waiting_by_id on run(id) where status = 'waiting'`.execute(db)
}
