import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessContract } from './access-contract.ts'
import { createAuditStore } from './audit-store.ts'
import { openSqlite } from './sqlite-database.ts'

accessContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-access-'))
  const storage = await openSqlite(folder)
  return {
    audit: createAuditStore(storage.kysely),
    async close() {
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
})
