// Does single writes of the hot path in the thread that serves requests while it is quiet: the way to the other thread and back would
// take longer than the write. Where several come at once, or the disk is slow, the other thread does them.
import type { DatabaseSync } from 'node:sqlite'
import type { BatchResult, HotWrite } from './hot-writes.ts'

/** After so many single writes in a row it counts as quiet. */
const QUIET = 16
/** One of so many goes to the other thread, which also tidies the write-ahead log up. */
const OTHER_EVERY = 64
/** If writes take longer than this on average, they hold up everything else for too long: so many go to the other thread then. */
const SLOW_SECONDS = 0.001
const AFTER_SLOW = 1_000
/** The weight of the last write in the average, and the most that counts of it: one that stood still says little of the next. */
const WEIGHT = 1 / 32
const MOST_SECONDS = 2 * SLOW_SECONDS

export class WritesHere {
  readonly #db: DatabaseSync
  readonly #doBatch: (batch: readonly HotWrite[]) => BatchResult
  /** Negative after slow writes; a start is quiet. */
  #single = QUIET
  #seconds = 0

  constructor(db: DatabaseSync, doBatch: (batch: readonly HotWrite[]) => BatchResult) {
    this.#db = db
    this.#doBatch = doBatch
  }

  /** Returns null if the other thread has to do the batch. */
  tryBatch(batch: readonly HotWrite[]): BatchResult | null {
    if (batch.length > 1) {
      this.#single = Math.min(this.#single, 0)
      return null
    }
    this.#single++
    if (this.#single < QUIET || this.#single % OTHER_EVERY === 0) return null
    const result = this.doBatch(batch)
    if (!result) return null
    this.#seconds += (Math.min(result.seconds, MOST_SECONDS) - this.#seconds) * WEIGHT
    if (this.#seconds > SLOW_SECONDS) {
      this.#single = -AFTER_SLOW
      this.#seconds = 0
    }
    return result
  }

  /** Returns null while a transaction of Kysely is open, which may be for a few turns. */
  doBatch(batch: readonly HotWrite[]): BatchResult | null {
    return this.#db.isTransaction ? null : this.#doBatch(batch)
  }
}
