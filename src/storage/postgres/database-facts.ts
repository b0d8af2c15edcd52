import { type Kysely, sql } from 'kysely'
import type { DatabaseFacts } from '../../operations/ports/instance.ts'
import type { Tables } from '../rows/tables.ts'

export async function databaseFacts(db: Kysely<Tables>): Promise<DatabaseFacts> {
  const { rows } = await sql<{ version: string; bytes: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`.execute(db)
  return { ...rows[0]!, freeBytes: null }
}
