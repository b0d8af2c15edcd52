// Counts what the writes of a transaction do, and adds the sums to the tables before it commits.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type Addition,
  addCounts,
  type Counted,
  CountSum,
  type CountTable,
  columnsOfCounts,
} from '../rows/flow-counts.ts'

/** The statements that stay prepared: one per table and set of columns. */
const MOST_STATEMENTS = 500

export class FlowCounters {
  readonly #db: DatabaseSync
  readonly #sum = new CountSum()
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  add(counted: Counted): void {
    this.#sum.add(counted)
  }

  /** Writes what was counted since the last call, inside the transaction of what it counts. */
  write(): void {
    this.#sum.take((table, row) => this.#addTo(table, row))
  }

  /** Forgets what a transaction counted that was rolled back. */
  forget(): void {
    this.#sum.clear()
  }

  /** A batch changes few of the forty columns, and each that is named costs time. */
  #addTo(table: CountTable, row: Addition): void {
    const { keys, counts } = columnsOfCounts(table)
    const values = row.slice(0, keys.length)
    const names: string[] = []
    for (const [i, name] of counts.entries()) {
      const count = row[keys.length + i]!
      if (count === 0) continue
      names.push(name)
      values.push(count)
    }
    const key = `${table} ${names.join(' ')}`
    let statement = this.#statements.get(key)
    if (!statement) {
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear()
      statement = this.#db.prepare(addCounts(table, names))
      this.#statements.set(key, statement)
    }
    statement.run(...values)
  }
}
