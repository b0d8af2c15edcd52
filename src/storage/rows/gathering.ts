// Gathers items that are to be written: those that become ready in one turn of the event loop, or while a batch is under way,
// share one transaction and one sync.

export interface Gathered<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export interface GatheringOptions<Item, Result> {
  /** How many batches may be under way at once: while one waits for the disk, the database works on another. */
  lanes?: number
  /** The maximum number of items in a batch. */
  most?: number
  /** Whether nothing may be sent in this turn of the event loop. */
  isBlocked?(): boolean
  /** Settles every item of the batch, and calls `finished` then. */
  send(batch: Gathered<Item, Result>[]): void
}

export class Gathering<Item, Result> {
  readonly #options: Required<GatheringOptions<Item, Result>>
  #waiting: Gathered<Item, Result>[] = []
  #underWay = 0
  #armed = false

  constructor({
    lanes = 1,
    most = Number.POSITIVE_INFINITY,
    isBlocked = () => false,
    send,
  }: GatheringOptions<Item, Result>) {
    this.#options = { lanes, most, isBlocked, send }
  }

  /** The number of items that wait to be sent. */
  get size(): number {
    return this.#waiting.length
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#underWay === 0
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#arm()
    })
  }

  /** Sends what is ready now, without waiting for the end of this turn of the event loop. */
  readonly send = (): void => {
    this.#armed = false
    const { lanes, most, isBlocked, send } = this.#options
    if (this.#underWay >= lanes || this.#waiting.length === 0) return
    if (isBlocked()) {
      this.#arm()
      return
    }
    const batch = this.#waiting.length > most ? this.#waiting.splice(0, most) : this.#waiting
    if (batch === this.#waiting) this.#waiting = []
    this.#underWay++
    this.#arm()
    send(batch)
  }

  /** A batch has ended: the next may be sent. */
  finished(): void {
    this.#underWay--
    this.#arm()
  }

  #arm(): void {
    if (this.#armed || this.#underWay >= this.#options.lanes || this.#waiting.length === 0) return
    this.#armed = true
    setImmediate(this.send)
  }
}
