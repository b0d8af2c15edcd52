// Counts deliveries and runs by flow, minute and hour, exactly: the counts change in the transaction that they count. The
// earlier counts by the hour go: they were written every few seconds, and a crash lost some.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'
import { COUNT_TABLES, columnsOfCounts, DELTA_KEYS, NO_BUCKET, NO_CODE } from '../rows/flow-counts.ts'

export async function stats(db: Kysely<unknown>, { key, bigint, keyed, shared }: Dialect): Promise<void> {
  await db.schema.dropTable('flow_hour').execute()
  for (const table of COUNT_TABLES) {
    const { keys, counts } = columnsOfCounts(table)
    const time = keys[1]!
    let create = db.schema.createTable(table).addColumn('flow_id', key, (c) => c.notNull())
    // Counts minutes or hours since 1970.
    create = create.addColumn(time, bigint, (c) => c.notNull())
    if (table === 'flow_error') create = create.addColumn('code', key, (c) => c.notNull())
    for (const name of counts) create = create.addColumn(name, bigint, (c) => c.notNull())
    await create
      .addPrimaryKeyConstraint(`${table}_key`, keys as never[])
      .modifyEnd(keyed)
      .execute()
    // Housekeeping finds the old ones. Adding to a row does not change the index.
    await db.schema.createIndex(`${table}_by_time`).on(table).column(time).execute()
  }
  // What was counted and is not added up yet: the hot path writes one narrow row. Several processes would wait for each other at
  // the same row, so there each adds rows of its own.
  let delta = db.schema.createTable('flow_delta')
  if (shared) delta = delta.addColumn('id', bigint, (c) => c.generatedAlwaysAsIdentity().primaryKey())
  delta = delta
    .addColumn('flow_id', key, (c) => c.notNull())
    .addColumn('minute', bigint, (c) => c.notNull())
    .addColumn('counter', key, (c) => c.notNull())
    .addColumn('bucket', 'integer', (c) => c.notNull().defaultTo(NO_BUCKET))
    .addColumn('code', key, (c) => c.notNull().defaultTo(NO_CODE))
    .addColumn('count', bigint, (c) => c.notNull())
  if (!shared) delta = delta.addPrimaryKeyConstraint('flow_delta_key', [...DELTA_KEYS] as never[])
  await delta.modifyEnd(keyed).execute()
}
