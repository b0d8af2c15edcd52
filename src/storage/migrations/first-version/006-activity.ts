// Counts the runs of each flow by hour, and indexes the inbox by outcome.
import type { Kysely } from 'kysely'
import type { Dialect } from '../../rows/dialect.ts'

export async function activity(db: Kysely<unknown>, { key, bigint, keyed }: Dialect): Promise<void> {
  await db.schema
    .createTable('flow_hour')
    .addColumn('flow_id', key, (c) => c.notNull())
    // Counts hours since 1970.
    .addColumn('hour', bigint, (c) => c.notNull())
    .addColumn('runs', bigint, (c) => c.notNull())
    .addColumn('failed', bigint, (c) => c.notNull())
    .addPrimaryKeyConstraint('flow_hour_key', ['flow_id', 'hour'])
    .modifyEnd(keyed)
    .execute()
  await db.schema.createIndex('delivery_by_outcome').on('delivery').columns(['outcome', 'id']).execute()
}
