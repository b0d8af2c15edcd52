// Hands the writes of the hot path to a thread: all that are ready go in one message, and share a transaction and a sync. A few at a
// quiet time go to the log of runs, a single one is done in place, and so is all that comes before the thread is there.
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import { type Gathered, Gathering } from '../../rows/gathering.ts'
import type { GroupCommit } from './group-commit.ts'
import type { BatchResult, DoHotWrite, HotStatement, HotWrite } from './hot-writes.ts'
import { type LogOfRuns, LogStorer, NO_LOG, NOT_NOW } from './log-storer.ts'
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
  /** What is acknowledged and not in the tables yet. */
  readonly log: LogOfRuns
  close(): Promise<void>
}

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
  log: NO_LOG,
  close: async () => {},
})

export class ThreadWriter implements HotWriter {
  readonly #here: WritesHere
  readonly #thread: ThreadLine
  readonly log: LogStorer
  readonly #onSync: (seconds: number, writes: number) => void
  readonly #noRoom: (reason: string) => void
  /** One batch is under way at a time: writes that gather meanwhile make the next one larger. */
  readonly #gathering: Gathering<Ready, number>
  #underWay: Gathered<Ready, number>[] = []
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
    this.log = new LogStorer(here, this.#thread, noRoom)
    this.#onSync = onSync
    this.#noRoom = noRoom
    this.#gathering = new Gathering({ send: (batch) => this.#send(batch) })
  }

  #send(batch: Gathered<Ready, number>[]): void {
    this.#underWay = batch
    const writes = batch.map(({ item }) => sent(item))
    const done = this.#here.tryBatch(writes)
    if (!done && !this.log.storeBefore(writes)) {
      this.#finish({ seconds: 0, results: writes.map(() => NOT_NOW) })
      return
    }
    const result = done ?? (this.#thread.ready() ? null : this.#here.doBatch(writes))
    if (!result) {
      this.#thread.send(writes, (answer) => this.#finish(answer))
      return
    }
    this.#finish(result)
    this.log.added()
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

  /** Waits until the thread has done all that it got. */
  awaitThread(): void {
    this.#thread.await(() => this.#thread.isIdle)
  }

  look(): void {
    this.#thread.receive()
    this.#gathering.send()
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      if (!this.#gathering.isIdle)
        await new Promise<void>((resolve) => {
          this.#drained = resolve
        })
      this.log.close()
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
