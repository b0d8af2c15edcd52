// Says which runs of the embedded database's run log are in the tables: those of this process up to this generation.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function runLog(db: Kysely<unknown>, { bigint }: Dialect): Promise<void> {
  await db.schema
    .createTable('run_log')
    // There is one row at most.
    .addColumn('one', 'integer', (c) => c.primaryKey())
    .addColumn('salt', bigint, (c) => c.notNull())
    .addColumn('generation', bigint, (c) => c.notNull())
    .execute()
}
