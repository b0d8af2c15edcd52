// What the operator does for users on the machine, also while the service runs: it finds the changes at the next request.
import { randomBytes } from 'node:crypto'
import { createIds } from '../../engine/ids.ts'
import { resetSecondFactor, setBreakGlass } from '../../operations/access/repair-users.ts'
import { resetPassword as setNewPassword } from '../../operations/access/users.ts'
import type { Sealing } from '../../operations/ports/secrets.ts'
import { Audit } from '../../operations/upkeep/audit.ts'
import { createPasswords } from '../../secrets/passwords.ts'
import { openPostgres } from '../../storage/postgres/database.ts'
import { openBeside } from '../../storage/sqlite/database.ts'
import { createSecondFactorStore } from '../../storage/stores/access/second-factor-store.ts'
import { createAuditStore } from '../../storage/stores/audit-store.ts'
import { createSessionStore } from '../../storage/stores/session-store.ts'
import { createUserStore } from '../../storage/stores/user-store.ts'
import type { Config } from '../config.ts'

/** Nothing is sealed or unsealed here: a second factor is only removed. */
const NO_SEALING: Sealing = {
  seal: () => {
    throw new Error('nothing is sealed by the command line')
  },
  unseal: () => null,
}

async function withStores<T>(config: Config, work: (stores: ReturnType<typeof storesOf>) => Promise<T>): Promise<T> {
  const storage = config.databaseUrl ? await openPostgres(config.databaseUrl) : openBeside(config.dataDir)
  try {
    return await work(storesOf(storage))
  } finally {
    await storage.close()
  }
}

function storesOf({ kysely, together }: Pick<ReturnType<typeof openBeside>, 'kysely' | 'together'>) {
  const audit = new Audit({
    store: createAuditStore(kysely),
    ids: createIds(Date.now, randomBytes),
    now: Date.now,
    redact: (value) => value,
    together,
  })
  return {
    audit,
    users: createUserStore(kysely),
    sessions: createSessionStore(kysely),
    secondFactors: createSecondFactorStore(kysely, NO_SEALING),
    passwords: createPasswords(),
  }
}

/** Resets a password: the service finds the sessions ended. */
export const resetPassword = (config: Config, email: string, password: string): Promise<void> =>
  withStores(config, (stores) => setNewPassword(stores, email, password))

export const breakGlass = (config: Config, email: string, on: boolean): Promise<void> =>
  withStores(config, (stores) => setBreakGlass(stores, email, on))

export const removeSecondFactor = (config: Config, email: string): Promise<void> =>
  withStores(config, (stores) => resetSecondFactor(stores, email))
