// Opens the store of files of a data folder, without a service.
import { randomBytes } from 'node:crypto'
import { createIds } from '../../src/engine/ids.ts'
import { testVault } from '../../src/secrets/keys.testkit.ts'
import { createDiskPlace } from '../../src/storage/files/disk-place.ts'
import { createFileRows } from '../../src/storage/files/file-rows.ts'
import { createFileStore } from '../../src/storage/files/file-store.ts'
import type { SqliteStorage } from '../../src/storage/sqlite/database.ts'

export function openFileStore({ kysely }: SqliteStorage, folder: string) {
  const vault = testVault(1)
  const ids = createIds(Date.now, randomBytes)
  return createFileStore({
    rows: createFileRows(kysely),
    place: createDiskPlace(folder),
    others: [],
    seal: (text, binding) => vault.seal(text, binding),
    unseal: (sealed, binding) => vault.unseal(sealed, binding),
    newId: () => ids.next('blob'),
    newKey: () => randomBytes(32),
    now: Date.now,
    shared: false,
  })
}
