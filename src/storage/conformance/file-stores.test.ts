import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import { createIds } from '../../engine/ids.ts'
import { testProtect, testVault } from '../../secrets/keys.testkit.ts'
import { createDiskPlace, diskPath, FILES_FOLDER } from '../files/disk-place.ts'
import { createFileRows, dropUses } from '../files/file-rows.ts'
import { createFileStore, type FileParts } from '../files/file-store.ts'
import { openPostgres } from '../postgres/database.ts'
import { createChunkPlace } from '../postgres/files/chunk-place.ts'
import { nowhere } from '../postgres/nowhere.testkit.ts'
import { createPostgresRunJournal } from '../postgres/run-journal.ts'
import { createPostgresSealedRows } from '../postgres/sealed-rows.ts'
import { openSqlite } from '../sqlite/database.ts'
import { createSqliteRunJournal } from '../sqlite/run-journal.ts'
import { createSqliteSealedRows } from '../sqlite/sealed-rows.ts'
import { createFlowStore } from '../stores/flow-store.ts'
import { createHousekeeping } from '../stores/housekeeping.ts'
import { createRunStore } from '../stores/run-store.ts'
import { createSampleStore } from '../stores/sample-store.ts'
import { fileClock, fileContract } from './file-contract.testkit.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

const now = () => fileClock.time
const ids = createIds(now, randomBytes)

function partsOf(parts: Pick<FileParts, 'rows' | 'place' | 'shared'>): FileParts {
  const vault = testVault(1)
  return {
    ...parts,
    others: [],
    seal: (text, binding) => vault.seal(text, binding),
    unseal: (sealed, binding) => vault.unseal(sealed, binding),
    newId: () => ids.next('blob'),
    newKey: () => randomBytes(32),
    now,
  }
}

fileContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-files-'))
  const storage = await openSqlite(folder)
  const { kysely } = storage
  const parts = partsOf({ rows: createFileRows(kysely), place: createDiskPlace(folder), shared: false })
  return {
    files: createFileStore(parts),
    other() {
      fileClock.time++
      return createFileStore(parts)
    },
    flows: createFlowStore(kysely),
    runs: { ...createRunStore(kysely), ...createSqliteRunJournal(storage, testProtect()).runs },
    samples: createSampleStore(kysely, testProtect()),
    housekeeping: createHousekeeping(kysely),
    sealedRows: createSqliteSealedRows(storage),
    kept: async () => globSync(`${FILES_FOLDER}/*/*/*`, { cwd: folder }).map((path) => basename(path)),
    dropUses: (run) => kysely.transaction().execute((tx) => dropUses(tx, [run])),
    async damage(id) {
      const path = join(folder, FILES_FOLDER, diskPath(id))
      const bytes = readFileSync(path)
      bytes[70_000]! ^= 1
      writeFileSync(path, bytes)
    },
    async close() {
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
})

fileContract('PostgreSQL', async () => {
  const storage = await openPostgres(await databases.create())
  const { kysely } = storage
  const parts = partsOf({ rows: createFileRows(kysely), place: createChunkPlace(storage.steady), shared: true })
  return {
    files: createFileStore(parts),
    other: () => createFileStore(parts),
    flows: createFlowStore(kysely),
    runs: { ...createRunStore(kysely), ...createPostgresRunJournal(storage, testProtect(), nowhere).runs },
    samples: createSampleStore(kysely, testProtect()),
    housekeeping: createHousekeeping(kysely),
    sealedRows: createPostgresSealedRows(storage.steady),
    async kept() {
      const rows = await kysely.selectFrom('file_chunk').select('file_id').distinct().execute()
      return rows.map(({ file_id }) => file_id)
    },
    dropUses: (run) => kysely.transaction().execute((tx) => dropUses(tx, [run])),
    async damage(id) {
      await sql`update file_chunk set bytes = set_byte(bytes, 70000, get_byte(bytes, 70000) # 1)
        where file_id = ${id} and number = 0`.execute(kysely)
    },
    close: storage.close,
  }
})
