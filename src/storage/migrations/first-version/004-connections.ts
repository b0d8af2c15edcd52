// Creates the tables of connections, of the grants of OAuth connections, and of authorization requests under way.
import type { Kysely } from 'kysely'
import type { Dialect } from '../../rows/dialect.ts'

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
  await db.schema
    .createTable('connection_grant')
    .addColumn('connection', 'text', (c) => c.primaryKey())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('sealed', 'text')
    .addColumn('obtained_at', bigint, (c) => c.notNull())
    .addColumn('expires_at', bigint)
    .addColumn('refreshing_since', bigint)
    .execute()
  await db.schema
    .createTable('authorization_request')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('connection', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_name', 'text', (c) => c.notNull())
    .addColumn('browser', 'text')
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('expires_at', bigint, (c) => c.notNull())
    .execute()
}
