// Counts what the writes of a transaction do, and adds the sums to the tables before it commits.
import type { DatabaseSync } from 'node:sqlite'
import { addCounts, type Counted, CountSum } from '../rows/flow-counts.ts'

export class FlowCounters {
  readonly #sum = new CountSum()
  readonly #statements

  constructor(db: DatabaseSync) {
    this.#statements = {
      flow_minute: db.prepare(addCounts('flow_minute')),
      flow_hour: db.prepare(addCounts('flow_hour')),
      flow_error: db.prepare(addCounts('flow_error')),
    }
  }

  add(counted: Counted): void {
    this.#sum.add(counted)
  }

  /** Writes what was counted since the last call, inside the transaction of what it counts. */
  write(): void {
    this.#sum.take((table, row) => this.#statements[table].run(...row))
  }

  /** Forgets what a transaction counted that was rolled back. */
  forget(): void {
    this.#sum.clear()
  }
}
