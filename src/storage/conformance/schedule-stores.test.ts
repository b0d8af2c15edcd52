import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { openPostgres } from '../postgres/database.ts'
import { nowhere } from '../postgres/nowhere.testkit.ts'
import { createPostgresRunJournal } from '../postgres/run-journal.ts'
import { createPostgresSchedules } from '../postgres/schedules.ts'
import { openSqlite } from '../sqlite/database.ts'
import { createSqliteRunJournal } from '../sqlite/run-journal.ts'
import { createSqliteSchedules } from '../sqlite/schedules.ts'
import { createFlowStore } from '../stores/flow-store.ts'
import { createHousekeeping } from '../stores/housekeeping.ts'
import { createRunStore } from '../stores/run-store.ts'
import { createScheduleStore } from '../stores/schedule-store.ts'
import { scheduleContract } from './schedule-contract.testkit.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

scheduleContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-schedules-'))
  const storage = await openSqlite(folder)
  const protect = testProtect()
  return {
    flows: createFlowStore(storage.kysely),
    runs: { ...createRunStore(storage.kysely), ...createSqliteRunJournal(storage, protect).runs },
    schedules: { ...createScheduleStore(storage.kysely), ...createSqliteSchedules(storage, protect, Date.now) },
    housekeeping: createHousekeeping(storage.kysely),
    async close() {
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
})

scheduleContract('PostgreSQL', async () => {
  const storage = await openPostgres(await databases.create())
  const protect = testProtect()
  return {
    flows: createFlowStore(storage.kysely),
    runs: { ...createRunStore(storage.kysely), ...createPostgresRunJournal(storage, protect, nowhere).runs },
    schedules: { ...createScheduleStore(storage.kysely), ...createPostgresSchedules(storage.hot, protect) },
    housekeeping: createHousekeeping(storage.kysely),
    close: storage.close,
  }
})
