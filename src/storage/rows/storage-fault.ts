import { StorageUnavailable } from './storage-unavailable.ts'

/** Busy, locked, read-only, I/O error, damaged, full, cannot open, no database: not the writer's fault. */
const FAULTS = [5, 6, 8, 10, 11, 13, 14, 26]

/** Null where the write itself was faulty. */
export function storageFault(error: unknown): StorageUnavailable | null {
  const { errcode, message } = error as { errcode?: number; message: string }
  if (errcode === undefined || !FAULTS.includes(errcode & 0xff)) return null
  return new StorageUnavailable(`The database cannot be written: ${message}`)
}
