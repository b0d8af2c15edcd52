// Has the runs of the log put into the tables: a moment later by the thread, before a write that carries one of them on, and at once where
// somebody reads.
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import type { BatchResult, HotWrite } from './hot-writes.ts'
import type { RunLog } from './run-log.ts'
import { type Generation, writeOf } from './run-record.ts'
import type { ThreadLine } from './thread-line.ts'
import type { WritesHere } from './writes-here.ts'

/** Runs of the log are in the database after this time, or after this one if that failed. */
const STORE_AFTER_MS = 20
const STORE_AGAIN_MS = 1_000
/** So often the thread tidies the write-ahead log up if all is done here. */
const TIDY_EVERY = 64

/** What comes of a write that has to wait for the log. */
export const NOT_NOW = {
  message: 'The database cannot be written: runs that are acknowledged are not in it yet.',
  unavailable: true,
  noRoom: null,
}

/** The log as those see it who read and write the tables. */
export interface LogOfRuns {
  /** Puts its runs into the database, and returns whether all are there. Whoever reads it, or begins a transaction, does this first. */
  settle(): boolean
  /** Is told of a run under way that a write did not find. Throws if it is in the log, and could not be put into the database. */
  missed(runId: string): void
  /** Is told that a run was not found. Throws if it may be in the log, which could not be put into the database. */
  noneFound(): null
}

export const NO_LOG: LogOfRuns = { settle: () => true, missed: () => {}, noneFound: () => null }

export class LogStorer implements LogOfRuns {
  readonly #here: WritesHere
  readonly #thread: ThreadLine
  readonly #noRoom: (reason: string) => void
  /** Whether the thread is putting runs into the database. */
  #isStoring = false
  #timer: NodeJS.Timeout | null = null
  #doneHere = 0
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(here: WritesHere, thread: ThreadLine, noRoom: (reason: string) => void) {
    this.#here = here
    this.#thread = thread
    this.#noRoom = noRoom
  }

  /** Something may have been added. */
  added(): void {
    if (this.#here.log?.isFull) this.#store()
    else this.#storeSoon(STORE_AFTER_MS)
  }

  /**
   * The log goes first: the batch may be large, and whoever reads waits for the runs of the log; or it carries one of them on. Returns false if it
   * does that, and the log cannot be put into the database now.
   */
  storeBefore(batch: readonly HotWrite[]): boolean {
    const { log } = this.#here
    const carriesOn = log?.hasNew === true && batch.some((write) => log.carriesOn(write))
    let isStored = !log?.isFailing
    if (isStored && (carriesOn || (log?.hasNew && this.#here.isLarge(batch)))) isStored = this.#awaitStoring(log!)
    this.#store()
    return isStored || !carriesOn
  }

  /** Returns whether the runs are stored that the thread was putting into the database. */
  #awaitStoring(log: RunLog): boolean {
    try {
      this.#thread.await(() => !this.#isStoring)
      return !log.isFailing
    } catch {
      return false
    }
  }

  #storeSoon(ms: number): void {
    if (this.#timer || !this.#here.log || this.#here.log.isEmpty) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#store()
    }, ms)
  }

  /** Has the thread put the runs into the database. */
  #store(): void {
    const taken = this.#isStoring ? null : this.#here.log?.take()
    if (!taken) return
    if (this.#thread.ready()) {
      this.#isStoring = true
      this.#thread.send(taken, (result) => this.#stored(result))
    } else this.#storeHere(taken)
  }

  /** Returns whether it was done. Inside a transaction of the same session it cannot be; the end of that is soon. */
  #storeHere(taken: Generation): boolean {
    const result = this.#here.doNow(writeOf(taken))
    if (!result) {
      this.#storeSoon(STORE_AFTER_MS)
      return false
    }
    this.#doneHere++
    if (this.#doneHere % TIDY_EVERY === 0 && this.#thread.ready()) this.#thread.tidy()
    return this.#stored(result)
  }

  #stored({ results: [result] }: BatchResult): boolean {
    this.#isStoring = false
    const log = this.#here.log!
    if (typeof result === 'number') {
      log.stored()
      this.#failedAt = Number.NEGATIVE_INFINITY
      this.#storeSoon(STORE_AFTER_MS)
      return true
    }
    if (!result!.unavailable) throw new Error(`Runs of the log could not be put into the database: ${result!.message}`)
    if (result!.noRoom !== null) this.#noRoom(result!.noRoom)
    log.failed()
    this.#failedAt = performance.now()
    this.#storeSoon(STORE_AGAIN_MS)
    return false
  }

  settle(): boolean {
    const { log } = this.#here
    if (!log || log.isEmpty) return true
    // Not at every look while there is no room.
    if (performance.now() - this.#failedAt < STORE_AGAIN_MS) return false
    return this.#settleNow(log)
  }

  missed(runId: string): void {
    if (this.#here.log?.keeps(runId)) throw new StorageUnavailable(NOT_NOW.message)
  }

  noneFound(): null {
    if (!this.settle()) throw new StorageUnavailable(NOT_NOW.message)
    return null
  }

  #settleNow(log: RunLog): boolean {
    this.#thread.await(() => !this.#isStoring)
    for (let taken = log.take(); taken; taken = log.take()) {
      // What it writes besides would be waited for anyway.
      this.#thread.await(() => this.#thread.isIdle)
      if (!this.#storeHere(taken)) return false
    }
    return true
  }

  close(): void {
    const { log } = this.#here
    if (log) this.#settleNow(log)
    if (this.#timer) clearTimeout(this.#timer)
    log?.close()
  }
}
