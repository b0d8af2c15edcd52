// The port to the upkeep of the database: retention, backups, and the keys that seal it.

export interface Housekeeping {
  /** Deletes at most `limit` rows older than `before` and returns their number. */
  deleteOlderThan(before: number, now: number, limit: number): Promise<number>
}

export interface Backup {
  path: string
  size: number
  /** Deletes the backup file. Called once it has been read. */
  remove(): void
}

export interface Backups {
  /** Makes a backup of everything committed before the call, without blocking writers. */
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
