import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessContract } from './access-contract.ts'
import { createAuditStore } from './audit-store.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createInvitationStore } from './invitation-store.ts'
import { createSessionStore } from './session-store.ts'
import { openSqlite } from './sqlite-database.ts'
import { createTokenStore } from './token-store.ts'
import { createUserStore } from './user-store.ts'

accessContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-access-'))
  const { kysely, close } = await openSqlite(folder)
  return {
    users: createUserStore(kysely),
    sessions: createSessionStore(kysely),
    invitations: createInvitationStore(kysely),
    tokens: createTokenStore(kysely),
    audit: createAuditStore(kysely),
    housekeeping: createHousekeeping(kysely),
    async close() {
      await close()
      rmSync(folder, { recursive: true })
    },
  }
})
