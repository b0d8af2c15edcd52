import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../sqlite/database.ts'
import { createIdentityStore, createLogoutTokens } from '../stores/access/identity-store.ts'
import { createRoleStore } from '../stores/access/role-store.ts'
import { createSecondFactorStore } from '../stores/access/second-factor-store.ts'
import { createAuthorizationRequestStore } from '../stores/authorization-request-store.ts'
import { createHousekeeping } from '../stores/housekeeping.ts'
import { createInvitationStore } from '../stores/invitation-store.ts'
import { createSessionStore } from '../stores/session-store.ts'
import { createTokenStore } from '../stores/token-store.ts'
import { createUserStore } from '../stores/user-store.ts'
import { accessContract } from './access-contract.testkit.ts'

const PLAIN = { seal: (text: string) => text, unseal: (text: string) => text }

accessContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-access-'))
  const { kysely, close } = await openSqlite(folder)
  return {
    users: createUserStore(kysely),
    roles: createRoleStore(kysely),
    sessions: createSessionStore(kysely),
    identities: createIdentityStore(kysely),
    authorizations: createAuthorizationRequestStore(kysely, PLAIN),
    logoutTokens: createLogoutTokens(kysely),
    secondFactors: createSecondFactorStore(kysely, PLAIN),
    invitations: createInvitationStore(kysely),
    tokens: createTokenStore(kysely),
    housekeeping: createHousekeeping(kysely),
    async close() {
      await close()
      rmSync(folder, { recursive: true })
    },
  }
})
