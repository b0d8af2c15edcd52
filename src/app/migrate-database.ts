import { openPostgres } from '../storage/postgres/database.ts'
import { openSqlite } from '../storage/sqlite/database.ts'
import type { Config } from './config.ts'

/** Migrates the database to this version's schema. Resolves to the name of the database. */
export async function migrateDatabase({ databaseUrl, dataDir }: Config): Promise<string> {
  const { close } = databaseUrl ? await openPostgres(databaseUrl) : await openSqlite(dataDir)
  await close()
  return databaseUrl ? 'the database of DATABASE_URL' : `the database in ${dataDir}`
}
