// Records the file that a flow was applied from, and its revision.
import type { Kysely } from 'kysely'
import type { Dialect } from '../../rows/dialect.ts'

export async function flowSource(db: Kysely<unknown>, { keyed }: Dialect): Promise<void> {
  await db.schema
    .createTable('flow_source')
    .addColumn('flow_id', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('flow_source_key', ['flow_id'])
    .addUniqueConstraint('flow_source_file', ['source', 'path'])
    .modifyEnd(keyed)
    .execute()
}
