// Sends items in batches: those that gather while a batch is under way share one statement and one commit.
import { StorageUnavailable } from '../../operations/ports/storage-unavailable.ts'

export interface BatchOptions<Item, Result> {
  /** How many batches may be under way at once: while one waits for the disk, the server works on another. */
  lanes: number
  /** The maximum number of items in a batch. */
  most: number
  /** Resolves with the results in the order of the items. Rejects as a whole if nothing was written. */
  send(items: Item[]): Promise<Result[]>
  onSent(seconds: number, items: number): void
}

interface Pending<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>
  #pending: Pending<Item, Result>[] = []
  #underWay = 0
  #armed = false

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
  }

  /** The number of items that wait to be sent. */
  get size(): number {
    return this.#pending.length
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, resolve, reject })
      this.#arm()
    })
  }

  #arm(): void {
    if (this.#armed || this.#underWay >= this.#options.lanes || this.#pending.length === 0) return
    this.#armed = true
    // Items that become ready in this turn of the event loop join the batch.
    setImmediate(() => {
      this.#armed = false
      void this.#sendNext()
    })
  }

  async #sendNext(): Promise<void> {
    const { most, onSent } = this.#options
    const batch = this.#pending.splice(0, most)
    if (batch.length === 0) return
    this.#underWay++
    this.#arm()
    const started = performance.now()
    try {
      await this.#send(batch)
      onSent((performance.now() - started) / 1000, batch.length)
    } finally {
      this.#underWay--
      this.#arm()
    }
  }

  async #send(batch: Pending<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.send(batch.map(({ item }) => item))
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!)
    } catch (error) {
      // One faulty item must not fail the others: each is sent alone.
      if (batch.length > 1 && !(error instanceof StorageUnavailable)) for (const one of batch) await this.#send([one])
      else for (const { reject } of batch) reject(error)
    }
  }
}
