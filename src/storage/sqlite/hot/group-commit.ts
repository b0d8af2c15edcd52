// Does the writes of one turn of the event loop in one transaction with one sync.
import { type Gathered, Gathering } from '../../rows/gathering.ts'
import { lackOfRoom, storageFault } from '../../rows/storage-fault.ts'
import type { Session } from '../settling-database.ts'
import type { FlowCounters } from './flow-counters.ts'
import { Transactions } from './transactions.ts'

export class GroupCommit {
  readonly #onSync: (seconds: number, writes: number) => void
  readonly #noRoom: (reason: string) => void
  readonly #transactions: Transactions
  readonly #gathering: Gathering<() => unknown, unknown>

  constructor(
    db: Session,
    counters: FlowCounters,
    onSync: (seconds: number, writes: number) => void,
    noRoom: (reason: string) => void = () => {},
  ) {
    this.#onSync = onSync
    this.#noRoom = noRoom
    this.#transactions = new Transactions(db, counters)
    this.#gathering = new Gathering({
      // A transaction of Kysely may stay open for a few turns.
      isBlocked: () => db.isTransaction,
      send: (batch) => this.#commit(batch),
    })
  }

  /** Runs `write` inside the next transaction; resolves with its result once that is committed and synced. */
  write<T>(write: () => T): Promise<T> {
    return this.#gathering.add(write) as Promise<T>
  }

  /** Runs `write` at once, in the transaction of Kysely that is open: waiting for the next one would be waiting for itself. */
  join<T>(write: () => T): T {
    try {
      return this.#transactions.join(write)
    } catch (error) {
      throw this.#explained(error)
    }
  }

  #commit(batch: Gathered<() => unknown, unknown>[]): void {
    const started = performance.now()
    const results = this.#transactions.together(batch.map(({ item }) => item))
    this.#onSync((performance.now() - started) / 1000, batch.length)
    for (const [i, { resolve, reject }] of batch.entries()) {
      const result = results[i]!
      if ('value' in result) resolve(result.value)
      else reject(this.#explained(result.error))
    }
    this.#gathering.finished()
  }

  #explained(error: unknown): unknown {
    const reason = lackOfRoom(error)
    if (reason !== null) this.#noRoom(reason)
    return storageFault(error) ?? error
  }
}
