// What a flow says about how long its runs are kept, and which runs have no data any more, or should have none.
import { type Kysely, sql } from 'kysely'

export async function retention(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('flow').addColumn('retention', 'text').execute()
  await db.schema.alterTable('run').addColumn('erased', 'integer').execute()
  await sql`create index run_to_erase on run(finished_at) where erased = 0`.execute(db)
}
