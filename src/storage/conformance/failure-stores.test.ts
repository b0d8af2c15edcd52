import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { openPostgres } from '../postgres/database.ts'
import { nowhere } from '../postgres/nowhere.testkit.ts'
import { createPostgresRunJournal } from '../postgres/run-journal.ts'
import { openSqlite } from '../sqlite/database.ts'
import { createSqliteRunJournal } from '../sqlite/run-journal.ts'
import { createFailureStore } from '../stores/failures/failure-store.ts'
import { createReplayStore } from '../stores/failures/replay-store.ts'
import { createRunStore } from '../stores/run-store.ts'
import { failureContract } from './failure-contract.testkit.ts'
import { STORE_SECRET } from './stores.testkit.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

failureContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-failures-'))
  const storage = await openSqlite(folder)
  const { runs, startReplay, ...journal } = createSqliteRunJournal(storage, testProtect(STORE_SECRET))
  return {
    runs: { ...createRunStore(storage.kysely), ...runs },
    journal,
    failures: createFailureStore(storage.kysely),
    replays: { ...createReplayStore(storage.kysely), start: startReplay },
    async close() {
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
})

failureContract('PostgreSQL', async () => {
  const storage = await openPostgres(await databases.create())
  const here = { ...nowhere, worker: () => 'worker_test' }
  const { runs, startReplay, ...journal } = createPostgresRunJournal(storage, testProtect(STORE_SECRET), here)
  return {
    runs: { ...createRunStore(storage.kysely), ...runs },
    journal,
    failures: createFailureStore(storage.kysely),
    replays: { ...createReplayStore(storage.kysely), start: startReplay },
    close: storage.close,
  }
})
