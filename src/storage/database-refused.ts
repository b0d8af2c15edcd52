/** The database cannot be used as it is, and stays as it is. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
  /** Another process uses it. */
  readonly inUse: boolean
  constructor(message: string, inUse = false) {
    super(message)
    this.inUse = inUse
  }
}
