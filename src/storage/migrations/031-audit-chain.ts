// Chains the entries of the audit log, and remembers how far each destination has got them.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function auditChain(db: Kysely<unknown>, { key, bigint }: Dialect): Promise<void> {
  // Null in entries that were made before: they are in no chain.
  await db.schema.alterTable('audit').addColumn('chain', key).execute()
  await db.schema.alterTable('audit').addColumn('seq', bigint).execute()
  await db.schema.alterTable('audit').addColumn('prev', 'text').execute()
  await db.schema.alterTable('audit').addColumn('hash', 'text').execute()
  await db.schema.createIndex('audit_links').unique().on('audit').columns(['chain', 'seq']).execute()
  await db.schema.createIndex('audit_unchained').on('audit').column('id').where(sql.ref('chain'), 'is', null).execute()
  await db.schema
    .createTable('audit_chain')
    .addColumn('id', key, (c) => c.primaryKey())
    // The last entry: its number, its hash, and the signature of both.
    .addColumn('seq', bigint, (c) => c.notNull())
    .addColumn('hash', 'text')
    .addColumn('signature', 'text')
    // The last entry that retention deleted; 0 if it deleted none.
    .addColumn('anchor_seq', bigint, (c) => c.notNull())
    .addColumn('anchor_hash', 'text')
    .addColumn('anchor_at', bigint)
    .addColumn('anchor_signature', 'text')
    .execute()
  await db.schema
    .createTable('audit_destination')
    .addColumn('id', key, (c) => c.primaryKey())
    // The process that sends to it, and until when no other does.
    .addColumn('holder', 'text')
    .addColumn('held_until', bigint, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('audit_cursor')
    .addColumn('destination', key, (c) => c.notNull())
    .addColumn('chain', key, (c) => c.notNull())
    .addColumn('seq', bigint, (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_cursor_key', ['destination', 'chain'])
    .execute()
}
