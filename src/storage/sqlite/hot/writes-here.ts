// Does the writes of the hot path in the thread that serves requests while it is quiet: the way to the other thread and back would
// take longer than a single write, or a few in the log of runs. Where many come at once, or the disk is slow, the other thread does them.
import type { DatabaseSync } from 'node:sqlite'
import { type BatchResult, type HotWrite, INSERTED, UPDATED } from './hot-writes.ts'
import type { RunLog } from './run-log.ts'

/** The log takes so many at once. For more of them the other thread takes less time: they change the same pages of the database. */
const FEW = 8
/** After so many small batches in a row it is quiet enough for the log, and after so many single writes for the database. */
const QUIET = 16
/** One of so many goes to the other thread if the log does not take it: that also tidies the write-ahead log up. */
const OTHER_EVERY = 64
/** If writes take longer than this on average, they hold up everything else for too long: so many go to the other thread then. */
const SLOW_SECONDS = 0.001
const AFTER_SLOW = 1_000
/** The weight of the last write in the average, and the most that counts of it: one that stood still says little of the next. */
const WEIGHT = 1 / 32
const MOST_SECONDS = 2 * SLOW_SECONDS
/** More text takes milliseconds, and tens of them where it is a large body. */
const MOST_CHARS = 128 * 1024
/** So many runs with large rows are remembered: most of them end soon. */
const MOST_LARGE_RUNS = 1_000

export class WritesHere {
  readonly #db: DatabaseSync
  readonly #doBatch: (batch: readonly HotWrite[]) => BatchResult
  readonly #openLog: () => Promise<RunLog>
  #opening = false
  /** The log of runs; null: it is not worth one yet. */
  log: RunLog | null = null
  /** So many small batches came in a row; negative after slow ones. A start is quiet. */
  #small = QUIET
  /** So many of them were of one write. */
  #single = QUIET
  #seconds = 0
  /** To change one writes all of its row again, its body too. */
  readonly #largeRuns = new Set<unknown>()

  constructor(db: DatabaseSync, doBatch: (batch: readonly HotWrite[]) => BatchResult, openLog: () => Promise<RunLog>) {
    this.#db = db
    this.#doBatch = doBatch
    this.#openLog = openLog
  }

  /** Returns null if the other thread has to do the batch. */
  tryBatch(batch: readonly HotWrite[]): BatchResult | null {
    if (this.isLarge(batch)) return null
    this.#single = batch.length > 1 ? 0 : this.#single + 1
    this.#small = batch.length > FEW ? Math.min(this.#small, 0) : this.#small + 1
    if (this.#small < QUIET) return null
    const logged = this.#tryLog(batch)
    if (!logged && this.#small % OTHER_EVERY === 0) {
      if (!this.log) void this.#begin()
      return null
    }
    const result = logged ?? this.#tryInPlace(batch)
    if (!result) return null
    this.#seconds += (Math.min(result.seconds, MOST_SECONDS) - this.#seconds) * WEIGHT
    if (this.#seconds > SLOW_SECONDS) {
      this.#small = -AFTER_SLOW
      this.#seconds = 0
    }
    return result
  }

  async #begin(): Promise<void> {
    if (this.#opening) return
    this.#opening = true
    // Where it fails, for lack of room perhaps, the database does without it, and it is tried again.
    this.log = await this.#openLog().catch(() => null)
    this.#opening = false
  }

  #tryLog(batch: readonly HotWrite[]): BatchResult | null {
    if (!this.log || this.#db.isTransaction) return null
    const started = performance.now()
    if (!this.log.append(batch)) return null
    return { seconds: (performance.now() - started) / 1000, results: batch.map((write) => write.length) }
  }

  #tryInPlace(batch: readonly HotWrite[]): BatchResult | null {
    // The thread may be storing what is in the log, and would have to be waited for.
    return this.#single < QUIET || this.log?.isEmpty === false ? null : this.doBatch(batch)
  }

  /** Returns null for a large batch, and while a transaction of Kysely is open, which may be for a few turns. */
  doBatch(batch: readonly HotWrite[]): BatchResult | null {
    return this.isLarge(batch) || this.#db.isTransaction ? null : this.#doBatch(batch)
  }

  /** Does a write at once, whatever its size; returns null while a transaction is open. */
  doNow(write: HotWrite): BatchResult | null {
    return this.#db.isTransaction ? null : this.#doBatch([write])
  }

  isLarge(batch: readonly HotWrite[]): boolean {
    let isLarge = false
    for (const write of batch)
      for (const [name, values] of write) {
        if (name === 'count' || name === 'fail') continue
        let chars = 0
        for (const value of values) if (typeof value === 'string') chars += value.length
        if (chars > MOST_CHARS || (name === 'updateRun' && this.#largeRuns.has(values[UPDATED.id]))) isLarge = true
        if (chars > MOST_CHARS && name === 'insertRun') this.#remember(values[INSERTED.id])
      }
    return isLarge
  }

  #remember(runId: unknown): void {
    this.#largeRuns.add(runId)
    if (this.#largeRuns.size > MOST_LARGE_RUNS) {
      const [oldest] = this.#largeRuns
      this.#largeRuns.delete(oldest)
    }
  }
}
