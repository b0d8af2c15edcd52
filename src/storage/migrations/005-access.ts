// Who may come in, and the record of what they did.
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

export async function access(db: Kysely<unknown>, { bigint }: Dialect): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', bigint, (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target_kind', 'text')
    .addColumn('target_id', 'text')
    .addColumn('target_name', 'text')
    .addColumn('details', 'text', (c) => c.notNull())
    .execute()
}
