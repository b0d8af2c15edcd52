// Sends items in batches that share one statement and one commit.
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import { type Gathered, Gathering } from '../rows/gathering.ts'

export interface BatchOptions<Item, Result> {
  /** How many batches may be under way at once. */
  lanes: number
  /** The maximum number of items in a batch. */
  most: number
  /** Resolves with the results in the order of the items. Rejects as a whole if nothing was written. */
  send(items: Item[]): Promise<Result[]>
  onSent(seconds: number, items: number): void
}

export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>
  readonly #gathering: Gathering<Item, Result>

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
    const { lanes, most } = options
    this.#gathering = new Gathering({ lanes, most, send: (batch) => void this.#sendAndCount(batch) })
  }

  /** The number of items that wait to be sent. */
  get size(): number {
    return this.#gathering.size
  }

  add(item: Item): Promise<Result> {
    return this.#gathering.add(item)
  }

  async #sendAndCount(batch: Gathered<Item, Result>[]): Promise<void> {
    const started = performance.now()
    try {
      await this.#send(batch)
      this.#options.onSent((performance.now() - started) / 1000, batch.length)
    } finally {
      this.#gathering.finished()
    }
  }

  async #send(batch: Gathered<Item, Result>[]): Promise<void> {
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
