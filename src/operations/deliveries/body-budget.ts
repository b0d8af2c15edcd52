// How many bytes of bodies that are being taken on may be in memory at once. Whoever comes when there is no room is refused before
// the body is read, so that many large ones at a time cannot end the process.

/** Such bodies always get in and are not counted: there are far more of them than of others, and the intake bounds them. */
export const SMALL_BODY = 16_384

/** From this size on one body is looked at and stored at a time: with its text and its values it takes several times its size. */
const LARGE_BODY = 1024 * 1024

export class BodyBudget {
  readonly most: number
  #held = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(most: number) {
    this.most = most
  }

  get held(): number {
    return this.#held
  }

  /** For one body; nothing is held yet. */
  open(): BodyHold {
    return new BodyHold(this)
  }

  /** false: there is no room for so many more. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.most) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
  }

  /** Large bodies wait for one another, and what else there is to do comes between them. */
  async inTurn<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (bytes < LARGE_BODY) return work()
    const turn = this.#turn.then(nextTurn).then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class BodyHold {
  readonly #budget: BodyBudget
  #bytes = 0

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Makes sure of room for so many in all; false: there is none. */
  reach(bytes: number): boolean {
    if (bytes <= SMALL_BODY || bytes <= this.#bytes) return true
    if (!this.#budget.take(bytes - this.#bytes)) return false
    this.#bytes = bytes
    return true
  }

  /** So many are enough. */
  shrink(bytes: number): void {
    const kept = bytes <= SMALL_BODY ? 0 : Math.min(bytes, this.#bytes)
    this.#budget.give(this.#bytes - kept)
    this.#bytes = kept
  }

  release(): void {
    this.shrink(0)
  }
}
