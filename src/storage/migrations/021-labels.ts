// Finds runs by their labels, keeps each attempt of a step, and the bodies of rejected deliveries. A run has its labels in a column of its own too, for display.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function labels(db: Kysely<unknown>, { key, keyed }: Dialect): Promise<void> {
  // As JSON; null if the run has none.
  await db.schema.alterTable('run').addColumn('labels', 'text').execute()
  // As JSON; null if the step was not tried again.
  await db.schema.alterTable('step').addColumn('attempts', 'text').execute()
  await db.schema
    .createTable('run_label')
    .addColumn('value', key, (c) => c.notNull())
    .addColumn('name', key, (c) => c.notNull())
    .addColumn('run_id', key, (c) => c.notNull())
    // The value comes first, because a search knows it without the name. Runs are in the order of their arrival.
    .addPrimaryKeyConstraint('run_label_key', ['value', 'name', 'run_id'])
    .modifyEnd(keyed)
    .execute()
  // 1 if the body of a rejected delivery is kept; the true request, if the columns hide secrets.
  await db.schema.alterTable('delivery').addColumn('body_kept', 'integer').execute()
  await db.schema.alterTable('delivery').addColumn('sealed', 'text').execute()
  await sql`create index delivery_kept on delivery(flow_id, id) where body_kept = 1`.execute(db)
  await sql`create index delivery_sealed on delivery(substr(sealed, 8, 8), id) where sealed is not null`.execute(db)
}
