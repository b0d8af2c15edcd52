// Connections: the credentials that flows use by name.
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

export async function connections(db: Kysely<unknown>, { bigint }: Dialect): Promise<void> {
  await db.schema
    .createTable('connection')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('fields', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('hosts', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', bigint, (c) => c.notNull())
    .addColumn('updated_at', bigint, (c) => c.notNull())
    .execute()
}
