// Hands the writes of the hot path to a thread: all that are ready go in one message, and share a transaction and a sync. A single
// write at a quiet time is done in place, or goes to the log of runs, and so is all that comes before the thread is there.
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import { type Gathered, Gathering } from '../../rows/gathering.ts'
import type { GroupCommit } from './group-commit.ts'
import type { BatchResult, DoHotWrite, HotStatement, HotWrite } from './hot-writes.ts'
import type { RunLog } from './run-log.ts'
import { ThreadLine } from './thread-line.ts'
import type { WritesHere } from './writes-here.ts'

/** A write to which more can be added as long as it has not been sent. */
export interface OpenWrite {
  readonly statements: HotStatement[]
  isSent: boolean
  /** Resolves when the write is committed and synced, with the number of its statements that changed something. */
  readonly done: Promise<number>
}

export interface HotWriter {
  /** Resolves when the write is committed and synced, with the number of its statements that changed something. */
  write(write: HotWrite): Promise<number>
  begin(statements: HotStatement[]): OpenWrite
  /** Settles what is committed and sends what is ready: a long turn of the event loop would delay both to its end. */
  look(): void
  /** Puts the runs of the log into the database, and returns whether all are there. Whoever reads it, or begins a transaction, does this first. */
  settle(): boolean
  /** Is told of a run that was not found. Throws if it is in the log, because there was no room for it in the database. */
  missed(runId: string): null
  close(): Promise<void>
}

/** Runs of the log are in the database after this time, or after this one if that failed. */
const STORE_AFTER_MS = 20
const STORE_AGAIN_MS = 1_000
/** So often the thread tidies the write-ahead log up if all is done here. */
const TIDY_EVERY = 64

/** A write that waits for the next batch. */
interface Ready {
  readonly statements: HotWrite
  isSent: boolean
}

function sent(write: Ready): HotWrite {
  write.isSent = true
  return write.statements
}

function begun(statements: HotStatement[], add: (write: Ready) => Promise<number>): OpenWrite {
  const write: { statements: HotStatement[]; isSent: boolean; done?: Promise<number> } = { statements, isSent: false }
  write.done = add(write)
  return write as OpenWrite
}

/** Writes on the connection that the rest of the process uses, as it stands when the transaction begins. */
export const createLocalWriter = (commit: GroupCommit, doWrite: DoHotWrite): HotWriter => ({
  write: (write) => commit.write(() => doWrite(write)),
  begin: (statements) => begun(statements, (write) => commit.write(() => doWrite(sent(write)))),
  look: () => {},
  settle: () => true,
  missed: () => null,
  close: async () => {},
})

export class ThreadWriter implements HotWriter {
  readonly #here: WritesHere
  readonly #thread: ThreadLine
  readonly #onSync: (seconds: number, writes: number) => void
  readonly #noRoom: (reason: string) => void
  /** One batch is under way at a time: writes that gather meanwhile make the next one larger. */
  readonly #gathering: Gathering<Ready, number>
  #underWay: Gathered<Ready, number>[] = []
  /** Whether the thread is putting runs of the log into the database. */
  #isStoring = false
  #storeTimer: NodeJS.Timeout | null = null
  #doneHere = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #closed: Promise<unknown> | null = null
  #drained: () => void = () => {}

  constructor(
    file: string,
    here: WritesHere,
    onSync: (seconds: number, writes: number) => void,
    noRoom: (reason: string) => void,
  ) {
    this.#here = here
    this.#thread = new ThreadLine(file)
    this.#onSync = onSync
    this.#noRoom = noRoom
    this.#gathering = new Gathering({ send: (batch) => this.#send(batch) })
  }

  #send(batch: Gathered<Ready, number>[]): void {
    this.#underWay = batch
    const writes = batch.map(({ item }) => sent(item))
    const done = this.#here.tryBatch(writes)
    // The log goes first: the batch may be large, and whoever reads waits for the runs of the log; or it carries one of them on.
    if (!done) {
      const { log } = this.#here
      const isAwaited = log?.hasNew && (this.#here.isLarge(writes) || writes.some((write) => log.begins(write)))
      if (isAwaited) this.#thread.await(() => !this.#isStoring)
      this.#store()
    }
    const result = done ?? (this.#thread.ready() ? null : this.#here.doBatch(writes))
    if (!result) {
      this.#thread.send(writes, (answer) => this.#finish(answer))
      return
    }
    this.#finish(result)
    if (this.#here.log?.isFull) this.#store()
    else this.#storeSoon(STORE_AFTER_MS)
  }

  write(write: HotWrite): Promise<number> {
    return this.#add({ statements: write, isSent: false })
  }

  begin(statements: HotStatement[]): OpenWrite {
    return begun(statements, (write) => this.#add(write))
  }

  #add(write: Ready): Promise<number> {
    // A delivery that the stop cuts off may write late; in the thread this would be a fault that ends the process.
    if (this.#closed) return Promise.reject(new StorageUnavailable('The database is closed.'))
    return this.#gathering.add(write)
  }

  look(): void {
    this.#thread.receive()
    this.#gathering.send()
  }

  #storeSoon(ms: number): void {
    if (this.#storeTimer || !this.#here.log || this.#here.log.isEmpty) return
    this.#storeTimer = setTimeout(() => {
      this.#storeTimer = null
      this.#store()
    }, ms)
  }

  /** Has the thread put the runs of the log into the database. */
  #store(): void {
    const write = this.#isStoring ? null : this.#here.log?.take()
    if (!write) return
    if (this.#thread.ready()) {
      this.#isStoring = true
      this.#thread.send([write], (result) => this.#stored(result))
    } else this.#storeHere(write)
  }

  /** Returns whether it was done. Inside a transaction of the same session it cannot be; the end of that is soon. */
  #storeHere(write: HotWrite): boolean {
    const result = this.#here.doNow(write)
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
      log.stored(result)
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

  missed(runId: string): null {
    if (this.#here.log?.keeps(runId))
      throw new StorageUnavailable('The database cannot be written: it has no room for the start of the run yet.')
    return null
  }

  #settleNow(log: RunLog): boolean {
    this.#thread.await(() => !this.#isStoring)
    for (let write = log.take(); write; write = log.take()) if (!this.#storeHere(write)) return false
    return true
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      if (!this.#gathering.isIdle)
        await new Promise<void>((resolve) => {
          this.#drained = resolve
        })
      if (this.#here.log) this.#settleNow(this.#here.log)
      if (this.#storeTimer) clearTimeout(this.#storeTimer)
      this.#here.log?.close()
      this.#closed = this.#thread.close()
    }
    await this.#closed
  }

  #finish({ seconds, results }: BatchResult): void {
    const batch = this.#underWay
    this.#underWay = []
    this.#onSync(seconds, batch.length)
    for (const [i, { resolve, reject }] of batch.entries()) {
      const result = results[i]!
      if (typeof result === 'number') resolve(result)
      else {
        if (result.noRoom !== null) this.#noRoom(result.noRoom)
        reject(result.unavailable ? new StorageUnavailable(result.message) : new Error(result.message))
      }
    }
    this.#gathering.finished()
    if (this.#gathering.isIdle) this.#drained()
  }
}
