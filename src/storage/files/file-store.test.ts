import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createIds } from '../../engine/ids.ts'
import { openInMemory, type SqliteStorage } from '../sqlite/database.ts'
import { createDiskPlace } from './disk-place.ts'
import { createFileRows } from './file-rows.ts'
import { createFileStore, type FileParts } from './file-store.ts'
import type { FilePlace } from './place.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-places-'))
const clock = { time: Date.UTC(2026, 5, 1) }
const ids = createIds(() => clock.time, randomBytes)
const kept = (place: string) => globSync(`${place}/files/*/*/*`, { cwd: folder })
let storage: SqliteStorage
beforeAll(async () => {
  storage = await openInMemory()
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const open = (parts: Pick<FileParts, 'place' | 'others'>) =>
  createFileStore({
    ...parts,
    rows: createFileRows(storage.kysely),
    seal: (text) => text,
    unseal: (sealed) => sealed,
    newId: () => ids.next('blob'),
    newKey: () => randomBytes(32),
    now: () => clock.time,
    shared: false,
  })

async function* of(bytes: Uint8Array) {
  yield bytes
}

it('deletes the bytes where they are, though new files go elsewhere', async () => {
  const first = createDiskPlace(join(folder, 'first'))
  const second: FilePlace = { ...createDiskPlace(join(folder, 'second')), name: 'bucket' }
  const bytes = randomBytes(1_000)
  const before = await open({ place: first, others: [] }).add(of(bytes), { maxBytes: 1_000 })
  clock.time++
  const files = open({ place: second, others: [first] })
  expect((await files.add(of(bytes), { maxBytes: 1_000 })).id).toBe(before.id)
  expect([kept('first'), kept('second')]).toEqual([[expect.any(String)], []])
  await files.discard([before.id])
  expect([kept('first'), kept('second')]).toEqual([[], []])
})

it('keeps what it has added though the clock was set back', async () => {
  const files = open({ place: createDiskPlace(join(folder, 'back')), others: [] })
  clock.time -= 3_600_000
  await files.add(of(Buffer.from('x')), { maxBytes: 1 })
  while ((await files.sweep()) > 0);
  expect(kept('back')).toHaveLength(1)
})
