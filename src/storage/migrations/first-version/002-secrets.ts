// Adds what is kept sealed: the true values of runs and steps that hold secrets, and a known text that reveals a wrong key.
import type { Kysely } from 'kysely'

export async function secrets(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('run').addColumn('sealed', 'text').execute()
  await db.schema.alterTable('step').addColumn('sealed', 'text').execute()
  await db.schema
    .createTable('vault_check')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .execute()
}
