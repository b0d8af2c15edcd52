// Records when a connection was last tested, and what came of it. Both are null for one that was not tested since its last change.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function connectionTests(db: Kysely<unknown>, { bigint }: Dialect): Promise<void> {
  await db.schema.alterTable('connection').addColumn('tested_at', bigint).execute()
  await db.schema.alterTable('connection').addColumn('test_verdict', 'text').execute()
}
