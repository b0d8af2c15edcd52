/** The database could not store or return what it was asked for. */
export class StorageUnavailable extends Error {
  /** Whether the request may have been carried out despite the error. If false, nothing was written. */
  readonly unsure: boolean

  constructor(message: string, options?: { cause?: unknown; unsure?: boolean }) {
    super(message, options)
    this.unsure = options?.unsure ?? false
  }
}
