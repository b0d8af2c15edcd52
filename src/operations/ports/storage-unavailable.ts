/** The database could not keep, or give, what it was asked to. */
export class StorageUnavailable extends Error {
  /** It was on its way: it may have been carried out all the same. Otherwise nothing was written. */
  readonly unsure: boolean

  constructor(message: string, options?: { cause?: unknown; unsure?: boolean }) {
    super(message, options)
    this.unsure = options?.unsure ?? false
  }
}
