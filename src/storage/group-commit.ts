// Whatever became ready to be written during one turn of the event loop shares one transaction and one sync.
import type { DatabaseSync } from 'node:sqlite'
import { StorageUnavailable } from './storage-unavailable.ts'

interface Pending {
  write(): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

export class GroupCommit {
  readonly #db: DatabaseSync
  readonly #onSync: (seconds: number, writes: number) => void
  readonly #begin
  readonly #commit
  #pending: Pending[] = []
  #armed = false

  constructor(db: DatabaseSync, onSync: (seconds: number, writes: number) => void) {
    this.#db = db
    this.#onSync = onSync
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** Runs `write` inside the next transaction; resolves with its result once that is committed and synced. */
  write<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ write, resolve: resolve as (value: unknown) => void, reject })
      this.#arm()
    })
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    // A transaction of Kysely's is open across a few turns: wait for its end.
    if (this.#db.isTransaction) {
      setImmediate(this.#flush)
      return
    }
    this.#armed = false
    const batch = this.#pending
    this.#pending = []
    const started = performance.now()
    const results = this.#attempt(batch)
    if (results) {
      this.#onSync((performance.now() - started) / 1000, batch.length)
      for (const [i, pending] of batch.entries()) pending.resolve(results[i])
    } else for (const pending of batch) this.#alone(pending)
  }

  /** One faulty write must not take its neighbours along: each gets its own transaction. */
  #alone(pending: Pending): void {
    try {
      this.#begin.run()
      const result = pending.write()
      this.#commit.run()
      pending.resolve(result)
    } catch (error) {
      this.#rollback()
      pending.reject(
        isStorageFault(error)
          ? new StorageUnavailable(`The database cannot be written: ${(error as Error).message}`)
          : error,
      )
    }
  }

  #attempt(batch: Pending[]): unknown[] | null {
    try {
      this.#begin.run()
      const results = batch.map((pending) => pending.write())
      this.#commit.run()
      return results
    } catch {
      this.#rollback()
      return null
    }
  }

  #rollback(): void {
    // A full disk may have rolled the transaction back already.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }
}

/** Disk full, I/O error, read-only, locked, damaged: not the writer's fault. */
function isStorageFault(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && [5, 6, 8, 10, 11, 13, 14, 26].includes(code & 0xff)
}
