import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'

/** Busy, locked, read-only, I/O error, damaged, full, cannot open, no database: none is the fault of the write. */
const FAULTS = [5, 6, 8, 10, 11, 13, 14, 26]
/** Faults that last until an operator fixes them. */
const NO_ROOM: Record<number, string> = {
  8: 'it is read-only',
  10: 'its disk is faulty or full',
  13: 'its disk is full',
}

const resultOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Returns null if the write itself was faulty. */
export function storageFault(error: unknown): StorageUnavailable | null {
  if (!FAULTS.includes(resultOf(error))) return null
  return new StorageUnavailable(`The database cannot be written: ${(error as Error).message}`)
}

/** Returns why there is no room for the write; null if the error has another cause. */
export const lackOfRoom = (error: unknown): string | null => NO_ROOM[resultOf(error)] ?? null
