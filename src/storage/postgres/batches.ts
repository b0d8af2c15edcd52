// Whatever gathers while others are on their way goes together: one statement and one commit for all of it.
import { StorageUnavailable } from '../../operations/ports/storage-unavailable.ts'

export interface BatchOptions<Item, Result> {
  /** Batches under way at once: while one waits for the disk, another can be worked on. */
  lanes: number
  /** Items of one batch at most. */
  most: number
  /** Results in the order of the items. Rejects as a whole; nothing was written then. */
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

  /** Waiting to be sent. */
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
    // What becomes ready in this turn of the event loop goes along.
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
      // One faulty item must not take its neighbours along: each goes alone.
      if (batch.length > 1 && !(error instanceof StorageUnavailable)) for (const one of batch) await this.#send([one])
      else for (const { reject } of batch) reject(error)
    }
  }
}
