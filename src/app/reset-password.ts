import { randomBytes } from 'node:crypto'
import { createIds } from '../engine/ids.ts'
import { resetPassword as setNewPassword } from '../operations/access/users.ts'
import { Audit } from '../operations/upkeep/audit.ts'
import { createPasswords } from '../secrets/passwords.ts'
import { openPostgres } from '../storage/postgres/database.ts'
import { openBeside } from '../storage/sqlite/database.ts'
import { createAuditStore } from '../storage/stores/audit-store.ts'
import { createUserStore } from '../storage/stores/user-store.ts'
import type { Config } from './config.ts'

/** Resets a password, also while the service runs: the service finds the sessions ended at their next request. */
export async function resetPassword(config: Config, email: string, password: string): Promise<void> {
  const { kysely, together, close } = config.databaseUrl
    ? await openPostgres(config.databaseUrl)
    : openBeside(config.dataDir)
  const audit = new Audit({
    store: createAuditStore(kysely),
    ids: createIds(Date.now, randomBytes),
    now: Date.now,
    redact: (value) => value,
    together,
  })
  try {
    await setNewPassword({ users: createUserStore(kysely), passwords: createPasswords(), audit }, email, password)
  } finally {
    await close()
  }
}
