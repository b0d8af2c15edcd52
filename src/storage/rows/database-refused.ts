/** The database cannot be used as it is, and stays as it is. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
}
