// The database as all see it who do not write on the hot path: whatever they run, the runs of the log are put into the tables first, so
// they find all that was acknowledged. What writes also waits for the thread that writes.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** What is used of a session. */
export type Session = Pick<DatabaseSync, 'prepare' | 'exec' | 'isTransaction'>

const WRITES = /^\s*(?:begin immediate|insert|update|delete)\b/i

interface Others {
  /** Puts the runs of the log into the tables. */
  settle(): void
  /** Waits until the thread has done all that it got: SQLite waits for its transaction in sleeps of a millisecond and more. */
  awaitThread(): void
}

export class SettlingDatabase implements Session {
  readonly #db: DatabaseSync
  readonly #others: Others

  constructor(db: DatabaseSync, others: Others) {
    this.#db = db
    this.#others = others
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** The first statement of a transaction does it, and while that is open the log takes nothing. */
  #before(isWrite: boolean): void {
    if (this.#db.isTransaction) return
    if (isWrite) this.#others.awaitThread()
    this.#others.settle()
  }

  prepare(text: string): StatementSync {
    const isWrite = WRITES.test(text)
    const statement = this.#db.prepare(text)
    const { run, get, all, iterate } = statement
    const settling =
      <Result>(work: (...values: SQLInputValue[]) => Result) =>
      (...values: SQLInputValue[]): Result => {
        this.#before(isWrite)
        return work.apply(statement, values)
      }
    return Object.assign(statement, {
      run: settling(run),
      get: settling(get),
      all: settling(all),
      iterate: settling(iterate),
    })
  }

  exec(text: string): void {
    this.#before(WRITES.test(text))
    this.#db.exec(text)
  }
}
