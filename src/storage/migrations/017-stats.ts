// Counts deliveries and runs by flow, minute and hour, exactly: the counts change in the transaction that they count. The
// earlier counts by the hour go: they were written every few seconds, and a crash lost some.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'
import { COUNT_TABLES, columnsOfCounts } from '../rows/flow-counts.ts'

export async function stats(db: Kysely<unknown>, { key, bigint, keyed, shared }: Dialect): Promise<void> {
  await db.schema.dropTable('flow_hour').execute()
  for (const table of COUNT_TABLES) {
    const { keys, counts } = columnsOfCounts(table)
    const time = keys[1]!
    let create = db.schema.createTable(table).addColumn('flow_id', key, (c) => c.notNull())
    // Counts minutes or hours since 1970.
    create = create.addColumn(time, bigint, (c) => c.notNull())
    if (table === 'flow_error') create = create.addColumn('code', key, (c) => c.notNull())
    for (const name of counts) create = create.addColumn(name, bigint, (c) => c.notNull().defaultTo(0))
    await create
      .addPrimaryKeyConstraint(`${table}_key`, keys as never[])
      .modifyEnd(keyed)
      .execute()
    // Housekeeping finds the old ones. Adding to a row does not change the index.
    await db.schema.createIndex(`${table}_by_time`).on(table).column(time).execute()
  }
  // Several processes would wait for each other at the row of a minute, so each adds rows of its own, which are added up later.
  if (shared)
    await db.schema
      .createTable('flow_delta')
      .addColumn('id', bigint, (c) => c.generatedAlwaysAsIdentity().primaryKey())
      .addColumn('flow_id', key, (c) => c.notNull())
      .addColumn('minute', bigint, (c) => c.notNull())
      .addColumn('counter', key, (c) => c.notNull())
      .addColumn('bucket', 'integer')
      .addColumn('code', key)
      .addColumn('count', bigint, (c) => c.notNull())
      .execute()
}
