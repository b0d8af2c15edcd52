// Gathers the writes of one turn of the event loop into one transaction and one sync.
import type { DatabaseSync } from 'node:sqlite'
import { lackOfRoom, storageFault } from '../rows/storage-fault.ts'
import type { FlowCounters } from './flow-counters.ts'
import { Transactions } from './transactions.ts'

interface Pending {
  write(): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

export class GroupCommit {
  readonly #db: DatabaseSync
  readonly #onSync: (seconds: number, writes: number) => void
  readonly #noRoom: (reason: string) => void
  readonly #transactions: Transactions
  #pending: Pending[] = []
  #armed = false

  constructor(
    db: DatabaseSync,
    counters: FlowCounters,
    onSync: (seconds: number, writes: number) => void,
    noRoom: (reason: string) => void = () => {},
  ) {
    this.#db = db
    this.#onSync = onSync
    this.#noRoom = noRoom
    this.#transactions = new Transactions(db, counters)
  }

  /** Runs `write` inside the next transaction; resolves with its result once that is committed and synced. */
  write<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ write, resolve: resolve as (value: unknown) => void, reject })
      if (this.#armed) return
      this.#armed = true
      setImmediate(this.#flush)
    })
  }

  readonly #flush = (): void => {
    // A transaction of Kysely may stay open for a few turns: wait for its end.
    if (this.#db.isTransaction) {
      setImmediate(this.#flush)
      return
    }
    this.#armed = false
    const batch = this.#pending
    this.#pending = []
    const started = performance.now()
    const results = this.#transactions.together(batch.map(({ write }) => write))
    this.#onSync((performance.now() - started) / 1000, batch.length)
    for (const [i, { resolve, reject }] of batch.entries()) {
      const result = results[i]!
      if ('value' in result) resolve(result.value)
      else {
        const reason = lackOfRoom(result.error)
        if (reason !== null) this.#noRoom(reason)
        reject(storageFault(result.error) ?? result.error)
      }
    }
  }
}
