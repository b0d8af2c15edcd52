// The line to the thread that writes: batches go there, and answers come back in the same order. The thread starts when it is first
// needed.
import { once } from 'node:events'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { threadFile } from '../../../base/package-files.ts'
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import type { BatchResult, HotWrite } from './hot-writes.ts'
import type { Generation } from './run-record.ts'

const YOUNG_MB = 6
/** Longer than the thread waits for the transaction of another session. */
const ANSWER_WITHIN_MS = 10_000

export class ThreadLine {
  readonly #file: string
  readonly #ports = new MessageChannel()
  #thread: Worker | null = null
  #isUp = false
  /** What is done with the next answers. */
  readonly #expected: ((result: BatchResult) => void)[] = []
  /** How many answers were sent. */
  readonly #answered = new Int32Array(new SharedArrayBuffer(4))
  /** 1 while somebody waits for an answer, and the thread must not pause. */
  readonly #awaited = new Int32Array(new SharedArrayBuffer(4))

  /** `file`: the database. */
  constructor(file: string) {
    this.#file = file
    this.#ports.port1.on('message', (result: BatchResult) => this.#answer(result))
  }

  /** Returns whether a batch can be sent. If not, the thread is being started, which takes a tenth of a second. */
  ready(): boolean {
    this.#thread ??= this.#start()
    return this.#isUp
  }

  #start(): Worker {
    const { port2 } = this.#ports
    const thread = new Worker(threadFile('storage/sqlite/hot/writer-thread'), {
      workerData: { file: this.#file, port: port2, answered: this.#answered, awaited: this.#awaited },
      transferList: [port2],
      // The memory of a batch is soon free again: a larger heap would only be kept.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    // "online" comes before its modules are loaded and the database is open, and whoever reads would wait for that.
    thread.once('message', () => {
      this.#isUp = true
    })
    // Without the thread nothing can be acknowledged: the process ends, and the next start carries on.
    thread.on('error', (error) => {
      throw error
    })
    return thread
  }

  send(writes: readonly HotWrite[] | Generation, then: (result: BatchResult) => void): void {
    if (this.#expected.length > 0) this.#hurry()
    this.#expected.push(then)
    this.#ports.port1.postMessage(writes)
  }

  get isIdle(): boolean {
    return this.#expected.length === 0
  }

  /** Has the thread move the write-ahead log into the database file if it has become long. */
  tidy(): void {
    this.#ports.port1.postMessage('tidy')
  }

  #hurry(): void {
    Atomics.store(this.#awaited, 0, 1)
    Atomics.notify(this.#awaited, 0)
  }

  #answer(result: BatchResult): void {
    const then = this.#expected.shift()!
    if (this.#expected.length === 0) Atomics.store(this.#awaited, 0, 0)
    then(result)
  }

  /** Takes an answer that has come, without waiting for the next turn of the event loop; returns whether there was one. */
  receive(): boolean {
    const received = this.#expected.length ? receiveMessageOnPort(this.#ports.port1) : undefined
    if (received) this.#answer(received.message as BatchResult)
    return received !== undefined
  }

  /** Takes answers, and holds the event loop for them, until the one is there that is waited for. */
  await(isThere: () => boolean): void {
    while (!isThere()) {
      this.#hurry()
      const seen = Atomics.load(this.#answered, 0)
      if (!this.receive() && Atomics.wait(this.#answered, 0, seen, ANSWER_WITHIN_MS) === 'timed-out')
        throw new StorageUnavailable('The database did not answer in time.')
    }
  }

  async close(): Promise<void> {
    if (!this.#thread) {
      this.#ports.port1.close()
      return
    }
    const closed = once(this.#thread, 'exit')
    this.#ports.port1.postMessage('close')
    await closed
  }
}
