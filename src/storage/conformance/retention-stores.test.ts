import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import { createIds } from '../../engine/ids.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { openPostgres } from '../postgres/database.ts'
import { createAddDelivery } from '../postgres/deliveries.ts'
import { nowhere } from '../postgres/nowhere.testkit.ts'
import { createPostgresRunJournal } from '../postgres/run-journal.ts'
import { openSqlite } from '../sqlite/database.ts'
import { createSqliteRunJournal } from '../sqlite/run-journal.ts'
import { createCallbackStore } from '../stores/callbacks/callback-store.ts'
import { createDeliveryStore } from '../stores/delivery-store.ts'
import { createFlowStore } from '../stores/flow-store.ts'
import { createHousekeeping } from '../stores/housekeeping.ts'
import { createErasing } from '../stores/retention/erasing.ts'
import { createRunStore } from '../stores/run-store.ts'
import { retentionContract } from './retention-contract.testkit.ts'
import { STORE_SECRET } from './stores.testkit.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

const protect = testProtect(STORE_SECRET)
const callbackPorts = {
  protect,
  ids: createIds(Date.now, (size) => crypto.getRandomValues(new Uint8Array(size))),
  now: Date.now,
  urlOf: (token: string) => token,
  newToken: () => crypto.randomUUID(),
  digest: (text: string) => text,
}

retentionContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-retention-'))
  const storage = await openSqlite(folder)
  const { kysely } = storage
  const { runs, startReplay: _, addDelivery, ...journal } = createSqliteRunJournal(storage, protect)
  return {
    kysely,
    flows: createFlowStore(kysely),
    runs: { ...createRunStore(kysely), ...runs },
    journal,
    deliveries: { ...createDeliveryStore(kysely, protect), add: addDelivery },
    callbacks: createCallbackStore(kysely, callbackPorts),
    housekeeping: createHousekeeping(kysely),
    erasing: createErasing(kysely, protect),
    async close() {
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
})

retentionContract('PostgreSQL', async () => {
  const storage = await openPostgres(await databases.create())
  const { kysely } = storage
  const here = { ...nowhere, worker: () => 'worker_test' }
  const { runs, startReplay: _, ...journal } = createPostgresRunJournal(storage, protect, here)
  return {
    kysely,
    flows: createFlowStore(kysely),
    runs: { ...createRunStore(kysely), ...runs },
    journal,
    deliveries: { ...createDeliveryStore(kysely, protect), add: createAddDelivery(storage.hot, protect) },
    callbacks: createCallbackStore(kysely, callbackPorts),
    housekeeping: createHousekeeping(kysely),
    erasing: createErasing(kysely, protect),
    close: storage.close,
  }
})
