import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../sqlite/database.ts'
import { createAuditStore } from '../stores/audit-store.ts'
import { createHousekeeping } from '../stores/housekeeping.ts'
import { createInvitationStore } from '../stores/invitation-store.ts'
import { createSessionStore } from '../stores/session-store.ts'
import { createTokenStore } from '../stores/token-store.ts'
import { createUserStore } from '../stores/user-store.ts'
import { accessContract } from './access-contract.testkit.ts'

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
