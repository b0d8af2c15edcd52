import { folderFault, holdsDatabase } from '../base/data-folder.ts'
import { DatabaseRefused } from '../base/refusals.ts'
import { openVault } from '../secrets/open-vault.ts'
import { createDiskPlace } from '../storage/files/disk-place.ts'
import { openPostgres } from '../storage/postgres/database.ts'
import { openSqlite } from '../storage/sqlite/database.ts'
import { createVaultRecords } from '../storage/stores/vault-records.ts'
import { type Transferred, transfer } from '../storage/transfer.ts'
import type { Config } from './config.ts'

/** Copies the data folder's contents to PostgreSQL; the folder stays unchanged. */
export async function transferToPostgres(config: Config & { databaseUrl: string }): Promise<Transferred> {
  const fault = folderFault(config.dataDir, { made: false })
  if (fault !== null) throw new DatabaseRefused(`The database in ${config.dataDir} cannot be used: ${fault}.`)
  if (!holdsDatabase(config.dataDir))
    throw new DatabaseRefused(`There is no database in ${config.dataDir}. Set MILLRACE_DATA_DIR to its folder.`)
  const from = await openSqlite(config.dataDir)
  try {
    // A wrong key shows here, not at the first start of the service afterwards.
    await openVault(config.secretKeys, config.dataDir, createVaultRecords(from.kysely))
    const to = await openPostgres(config.databaseUrl)
    try {
      return await transfer(from, to, createDiskPlace(config.dataDir))
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}
