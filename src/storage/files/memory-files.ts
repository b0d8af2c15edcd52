// Keeps files in memory, for tests of flows.
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '../rows/tables.ts'
import { createFileRows } from './file-rows.ts'
import { createFileStore } from './file-store.ts'
import type { FilePlace } from './place.ts'

export const createMemoryFiles = (db: Kysely<Tables>, newId: () => string, now: () => number) =>
  createFileStore({
    rows: createFileRows(db),
    place: createMemoryPlace(),
    others: [],
    seal: (text) => text,
    unseal: (sealed) => sealed,
    newId,
    newKey: () => randomBytes(32),
    now,
    shared: false,
  })

function createMemoryPlace(): FilePlace {
  const kept = new Map<string, Buffer>()
  return {
    name: 'disk',
    async put(id, frames) {
      const parts: Uint8Array[] = []
      for await (const frame of frames) parts.push(frame)
      kept.set(id, Buffer.concat(parts))
    },
    async *get(id, { start, end }) {
      const bytes = kept.get(id)
      if (bytes) yield bytes.subarray(start, end)
    },
    async remove(id) {
      kept.delete(id)
    },
    fault: async () => null,
  }
}
