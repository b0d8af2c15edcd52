// The database as all see it who do not write on the hot path: whatever they run, the runs of the log are put into the tables first, so
// they find all that was acknowledged.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** What is used of a session. */
export type Session = Pick<DatabaseSync, 'prepare' | 'exec' | 'isTransaction'>

export class SettlingDatabase implements Session {
  readonly #db: DatabaseSync
  readonly #settle: () => void

  /** `settle`: puts the runs of the log into the tables. */
  constructor(db: DatabaseSync, settle: () => void) {
    this.#db = db
    this.#settle = settle
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** The first statement of a transaction does it, and while that is open the log takes nothing. */
  readonly #first = (): void => {
    if (!this.#db.isTransaction) this.#settle()
  }

  prepare(text: string): StatementSync {
    const statement = this.#db.prepare(text)
    const { run, get, all, iterate } = statement
    const settling =
      <Result>(work: (...values: SQLInputValue[]) => Result) =>
      (...values: SQLInputValue[]): Result => {
        this.#first()
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
    this.#first()
    this.#db.exec(text)
  }
}
