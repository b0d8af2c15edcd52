// Runs several writes in one transaction with one sync; a faulty write does not affect the others.

import type { Session } from '../settling-database.ts'
import type { FlowCounters } from './flow-counters.ts'

export type Written<T> = { value: T } | { error: unknown }

export class Transactions {
  readonly #db: Session
  readonly #counters: FlowCounters
  readonly #begin
  readonly #commit

  constructor(db: Session, counters: FlowCounters) {
    this.#db = db
    this.#counters = counters
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** Returns the result of each write, once all are committed and synced. */
  together<T>(writes: readonly (() => T)[]): Written<T>[] {
    try {
      this.#begin.run()
      const values = writes.map((write) => ({ value: write() }))
      // What the writes counted commits with them, added up.
      this.#counters.write()
      this.#commit.run()
      return values
    } catch (error) {
      this.#rollback()
      if (writes.length === 1) return [{ error }]
      // One faulty write must not fail the others: each gets its own transaction.
      return writes.map((write) => this.#alone(write))
    }
  }

  /** Runs a write inside a transaction that is open already. If it throws, that transaction has to be rolled back. */
  join<T>(write: () => T): T {
    try {
      const value = write()
      this.#counters.write()
      return value
    } catch (error) {
      this.#counters.forget()
      throw error
    }
  }

  #alone<T>(write: () => T): Written<T> {
    try {
      this.#begin.run()
      const value = this.join(write)
      this.#commit.run()
      return { value }
    } catch (error) {
      this.#rollback()
      return { error }
    }
  }

  #rollback(): void {
    this.#counters.forget()
    // SQLite may have rolled the transaction back already when the disk is full.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }
}
