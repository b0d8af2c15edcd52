// What keeps the database in order: retention, backups, and the keys that seal it.

export interface Housekeeping {
  /** Deletes at most `limit` of what is older than `before`; the number deleted. */
  deleteOlderThan(before: number, now: number, limit: number): Promise<number>
}

export interface Backup {
  path: string
  size: number
  /** Once it has been read. */
  remove(): void
}

export interface Backups {
  /** Everything that was committed when it was called; writers are not held up. */
  make(): Promise<Backup>
}

/** How far a place was gone through. */
export interface Resealed {
  /** Where to go on; null: that was all of it. */
  after: string | null
  done: number
  /** Values that could not be opened. */
  unreadable: number
}

/** Everything that is sealed in the database. */
export interface SealedRows {
  /** How many values each key has sealed, by its id. */
  count(): Promise<Map<string, number>>
  readonly places: readonly string[]
  /** Seals anew some values of a place that a key has sealed, in one short transaction. `reseal`: null where it cannot be opened. */
  resealSome(
    place: string,
    keyId: string,
    after: string | null,
    reseal: (sealed: string, binding: string) => string | null,
  ): Promise<Resealed>
}

/** What the vault keeps in the database, to know whether its keys fit. */
export interface VaultRecords {
  /** `keyIds`: those that were given with it; null where nobody has noted them. */
  check(): Promise<{ sealed: string; keyIds: string[] | null } | null>
  setCheck(sealed: string, keyIds: readonly string[]): Promise<void>
  /** The ids of the keys that drafts, live versions, unfinished runs, the keys of flows and connections need. */
  keyIdsInUse(): Promise<string[]>
}
