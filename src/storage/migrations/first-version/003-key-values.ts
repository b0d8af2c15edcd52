// Creates the table of the flows' durable keys.
import type { Kysely } from 'kysely'
import type { Dialect } from '../../rows/dialect.ts'

export async function keyValues(db: Kysely<unknown>, { key, bigint, keyed }: Dialect): Promise<void> {
  await db.schema
    .createTable('key_value')
    .addColumn('flow_id', key, (c) => c.notNull())
    .addColumn('key', key, (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('expires_at', bigint)
    .addPrimaryKeyConstraint('key_value_key', ['flow_id', 'key'])
    .modifyEnd(keyed)
    .execute()
  await db.schema.createIndex('key_value_expiry').on('key_value').column('expires_at').execute()
}
