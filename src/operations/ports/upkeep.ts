// The port to the upkeep of the database: retention, backups, the keys that seal it, and the files beside it.

export interface Housekeeping {
  /** Deletes at most `limit` rows older than `before`, or than their flow keeps them, and returns their number. */
  deleteOlderThan(before: number, now: number, limit: number): Promise<number>
}

/** Deletes the data of runs whose flow does not keep it. */
export interface Erasing {
  /** Erases at most `limit` runs that are marked for it and ended before this time. Returns how many were done. */
  eraseSome(before: number, limit: number): Promise<number>
}

export interface Backup {
  /** The copy of the database. */
  path: string
  size: number
  /** The files beside it, as they are kept: their names in the data folder, where to read them, and their sizes. */
  files: readonly { name: string; path: string; size: number }[]
  /** How many files are kept elsewhere, and are not in the backup. */
  elsewhere: number
  /** Deletes the backup. Called once it has been read. */
  remove(): void
}

export interface Backups {
  /** Makes a backup of everything committed before the call, without blocking writers. No file must be deleted meanwhile. */
  make(): Promise<Backup>
}

/** The progress of resealing one place. */
export interface Resealed {
  /** The position to continue from; null at the end. */
  after: string | null
  done: number
  /** The number of values that could not be unsealed. */
  unreadable: number
}

/** All sealed values in the database. */
export interface SealedRows {
  /** Returns how many values each key has sealed, by key id. */
  count(): Promise<Map<string, number>>
  readonly places: readonly string[]
  /** Reseals some values of a place and key in one short transaction. `reseal` returns null if a value cannot be opened. */
  resealSome(
    place: string,
    keyId: string,
    after: string | null,
    reseal: (sealed: string, binding: string) => string | null,
  ): Promise<Resealed>
}

/** The vault's records in the database, which show whether its keys fit. */
export interface VaultRecords {
  /** Returns the check value. `keyIds` are the keys that were configured with it; null if they were never recorded. */
  check(): Promise<{ sealed: string; keyIds: string[] | null } | null>
  setCheck(sealed: string, keyIds: readonly string[]): Promise<void>
  /** Returns the ids of the keys that drafts, live versions, unfinished runs, the keys of flows and connections need. */
  keyIdsInUse(): Promise<string[]>
}

export interface FileFacts {
  /** How many files are stored, and their bytes before encryption. */
  files: number
  bytes: number
  /** How many files this process is taking in now. */
  incoming: number
  /** How many files this process has deleted. */
  swept: number
  place: 'disk' | 'database' | 'bucket'
}

export interface FileKeeping {
  /** Says that runs that were stored use these files. */
  used(ids: readonly string[]): void
  /**
   * Gives a sign of life of the files that this process is taking in, and deletes some that nobody uses. Called each minute. Returns
   * how many it looked at; 0 if there is nothing left to do.
   */
  sweep(): Promise<number>
  /** Does work while no bytes are deleted, except those of files that were marked before. */
  keeping<T>(work: () => Promise<T>): Promise<T>
  facts(): Promise<FileFacts>
  /** Returns why nothing can be stored now; null if it can. */
  fault(): Promise<string | null>
}
