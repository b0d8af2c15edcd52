// A place that keeps the encrypted bytes of files, and knows nothing else about them.
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { Range } from './frames.ts'

export interface FilePlace {
  /** The name that rows of files keep. */
  readonly name: 'disk' | 'database' | 'bucket'
  /** Keeps the bytes; resolves when they are durable. Reads no faster than it writes. May leave something behind if it fails. */
  put(id: string, frames: AsyncIterable<Uint8Array>): Promise<void>
  /** Returns a part of the bytes; fewer, if there are fewer. */
  get(id: string, range: Range): AsyncIterable<Uint8Array>
  /** Deletes the bytes, and what is left of those that were never complete. Nothing to delete is no error. */
  remove(id: string): Promise<void>
  /** Returns why nothing can be kept here now; null if it can. */
  fault(): Promise<string | null>
}

const NO_ROOM: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EFBIG: 'the disk takes no file as large',
  EDQUOT: 'the quota of the disk is used up',
  EIO: 'the disk is faulty',
  EROFS: 'the disk is read-only',
  EACCES: 'the folder cannot be written',
  EPERM: 'the folder cannot be written',
}

/** Returns the error of a disk as one that says that files cannot be stored now. */
export function explainedDisk(error: unknown): unknown {
  const reason = NO_ROOM[(error as NodeJS.ErrnoException | null)?.code ?? '']
  return reason ? new StorageUnavailable(`Files cannot be stored: ${reason}.`, { cause: error }) : error
}
