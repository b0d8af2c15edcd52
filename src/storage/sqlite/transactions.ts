// Several writes in one transaction with one sync, where none can spoil the others.
import type { DatabaseSync } from 'node:sqlite'

export type Written<T> = { value: T } | { error: unknown }

export class Transactions {
  readonly #db: DatabaseSync
  readonly #begin
  readonly #commit

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** What came of each, once all of it is committed and synced. */
  together<T>(writes: readonly (() => T)[]): Written<T>[] {
    try {
      this.#begin.run()
      const values = writes.map((write) => ({ value: write() }))
      this.#commit.run()
      return values
    } catch {
      this.#rollback()
      // One faulty write must not take its neighbours along: each gets its own transaction.
      return writes.map((write) => this.#alone(write))
    }
  }

  #alone<T>(write: () => T): Written<T> {
    try {
      this.#begin.run()
      const value = write()
      this.#commit.run()
      return { value }
    } catch (error) {
      this.#rollback()
      return { error }
    }
  }

  #rollback(): void {
    // A full disk may have rolled the transaction back already.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }
}
