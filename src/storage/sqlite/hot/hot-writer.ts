// Hands the writes of the hot path to a thread: all that are ready go in one message, and share a transaction and a sync. A single
// write at a quiet time is done in place, and so is all that comes before the thread is there: it starts when it is first needed.
import { once } from 'node:events'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { threadFile } from '../../../base/package-files.ts'
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import { type Gathered, Gathering } from '../../rows/gathering.ts'
import type { GroupCommit } from './group-commit.ts'
import type { BatchResult, DoHotWrite, HotStatement, HotWrite } from './hot-writes.ts'
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
  close(): Promise<void>
}

const YOUNG_MB = 6

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
  close: async () => {},
})

export class ThreadWriter implements HotWriter {
  readonly #file: string
  #thread: Worker | null = null
  #isUp = false
  readonly #port: MessagePort
  readonly #otherPort: MessagePort
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
    this.#file = file
    this.#onSync = onSync
    this.#noRoom = noRoom
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#otherPort = port2
    this.#gathering = new Gathering({
      send: (batch) => {
        this.#underWay = batch
        const writes = batch.map(({ item }) => sent(item))
        const result = here.tryBatch(writes) ?? (this.#isUp ? null : this.#starting(() => here.doBatch(writes)))
        if (result) this.#settle(result)
        else this.#port.postMessage(writes)
      },
    })
    this.#port.on('message', (result: BatchResult) => this.#settle(result))
  }

  /** Starting takes a tenth of a second, for which nobody should wait. */
  #starting(doHere: () => BatchResult | null): BatchResult | null {
    this.#thread ??= this.#start()
    return doHere()
  }

  #start(): Worker {
    const thread = new Worker(threadFile('storage/sqlite/hot/writer-thread'), {
      workerData: { file: this.#file, port: this.#otherPort },
      transferList: [this.#otherPort],
      // The memory of a batch is soon free again: a larger heap would only be kept.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    thread.once('online', () => {
      this.#isUp = true
    })
    // Without the thread nothing can be acknowledged: the process ends, and the next start carries on.
    thread.on('error', (error) => {
      throw error
    })
    return thread
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
    const received = this.#underWay.length ? receiveMessageOnPort(this.#port) : undefined
    if (received) this.#settle(received.message as BatchResult)
    this.#gathering.send()
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      if (!this.#gathering.isIdle)
        await new Promise<void>((resolve) => {
          this.#drained = resolve
        })
      this.#closed = this.#thread ? once(this.#thread, 'exit') : Promise.resolve()
      if (this.#thread) this.#port.postMessage('close')
      else this.#port.close()
    }
    await this.#closed
  }

  #settle({ seconds, results }: BatchResult): void {
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
