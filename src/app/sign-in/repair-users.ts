// What the operator does for users on the machine, also while the service runs: it finds the changes at the next request.
import type { Kysely } from 'kysely'
import { resetSecondFactor, setBreakGlass } from '../../operations/access/repair-users.ts'
import { resetPassword as setNewPassword } from '../../operations/access/users.ts'
import type { Sealing } from '../../operations/ports/secrets.ts'
import type { Audit } from '../../operations/upkeep/audit.ts'
import { createPasswords } from '../../secrets/passwords.ts'
import type { Tables } from '../../storage/rows/tables.ts'
import { createSecondFactorStore } from '../../storage/stores/access/second-factor-store.ts'
import { createSessionStore } from '../../storage/stores/session-store.ts'
import { createUserStore } from '../../storage/stores/user-store.ts'
import { withAudit } from '../audit-log/open-log.ts'
import type { Config } from '../config.ts'

/** Nothing is sealed or unsealed here: a second factor is only removed. */
const NO_SEALING: Sealing = {
  seal: () => {
    throw new Error('nothing is sealed by the command line')
  },
  unseal: () => null,
}

const withStores = <T>(config: Config, work: (stores: ReturnType<typeof storesOf>) => Promise<T>): Promise<T> =>
  withAudit(config, (kysely, audit) => work(storesOf(kysely, audit)))

const storesOf = (kysely: Kysely<Tables>, audit: Audit) => ({
  audit,
  users: createUserStore(kysely),
  sessions: createSessionStore(kysely),
  secondFactors: createSecondFactorStore(kysely, NO_SEALING),
  passwords: createPasswords(),
})

/** Resets a password: the service finds the sessions ended. */
export const resetPassword = (config: Config, email: string, password: string): Promise<void> =>
  withStores(config, (stores) => setNewPassword(stores, email, password))

export const breakGlass = (config: Config, email: string, on: boolean): Promise<void> =>
  withStores(config, (stores) => setBreakGlass(stores, email, on))

export const removeSecondFactor = (config: Config, email: string): Promise<void> =>
  withStores(config, (stores) => resetSecondFactor(stores, email))
