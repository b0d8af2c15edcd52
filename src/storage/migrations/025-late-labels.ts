// Says from which run on the labels are not in the index yet: on the embedded database they get there many at a time.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function lateLabels(db: Kysely<unknown>, { key }: Dialect): Promise<void> {
  await db.schema
    .createTable('late_label')
    // There is one row at most.
    .addColumn('one', 'integer', (c) => c.primaryKey())
    .addColumn('since', key, (c) => c.notNull())
    .execute()
}
