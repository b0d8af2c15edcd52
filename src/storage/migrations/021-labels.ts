// Finds runs by their labels, and keeps each attempt of a step. A run has its labels in a column of its own too, for display.
import type { Kysely } from 'kysely'
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
}
