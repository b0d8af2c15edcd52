// The port to the store of files. A flow holds what describes a file, never its bytes.

/** A file as flows see it: a plain JSON value. Only a run that uses the file can open it, so that one made up by a sender opens nothing. */
export interface FileValue {
  /** `blob_…` */
  file: string
  name: string | null
  contentType: string
  size: number
  sha256: string
}

/** Bytes that are durable in the store, and that no run uses yet. */
export interface StoredFile {
  id: string
  size: number
  sha256: string
}

export interface OpenFile {
  size: number
  sha256: string
  /** The bytes, decrypted, in parts of at most 64 KiB. Ending the iteration early closes what is open. */
  bytes: AsyncIterable<Uint8Array>
}

/** Thrown by `add`: the file has more than `maxBytes` bytes. */
export class FileTooLarge extends Error {}

/** Thrown by `add`: the files that nobody has verified yet take all the room that they may have. */
export class NoRoomForFiles extends Error {}

/** Thrown where a file is opened or used that is not there, or that the owner does not use. */
export class NoSuchFile extends Error {}

/** Thrown while a file is read: its stored bytes are not those that were added. */
export class DamagedFile extends Error {}

export interface FileStore {
  /**
   * Reads the bytes into the store; resolves when they are durable. Reads exactly `maxBytes` at most, and no faster than they can be
   * written. Whatever ends it early, an error of `bytes` too, nothing stays. A file that nobody uses within minutes after its process
   * has gone is deleted.
   */
  add(bytes: AsyncIterable<Uint8Array>, options: { maxBytes: number; unverified?: boolean }): Promise<StoredFile>
  /** Deletes files that were added and that nobody uses. Never rejects. */
  discard(ids: readonly string[]): Promise<void>
  /**
   * Lets a run, a sample or a flow that is stored use files that were added. Done before the step's outcome is journalled. Rejects
   * with NoSuchFile, also if the owner is gone.
   */
  use(owner: string, ids: readonly string[]): Promise<void>
  /** Returns those of the ids that the owner, a run or a sample, uses; null: all that it uses. */
  usedBy(owner: string, ids: readonly string[] | null): Promise<string[]>
  /** Opens a file that the owner uses; `owner` null: whoever may read all runs asks, and sees what one of them shows. Rejects with NoSuchFile. */
  open(id: string, owner: string | null, range?: { start: number; end: number }): Promise<OpenFile>
}
