// Limits the bytes of request bodies that are in memory at once. Without room, a request is refused before its body is
// read, so that many large bodies at a time cannot exhaust the memory of the process.

/** Bodies up to this size are always accepted and not counted: they are by far the most, and the intake limits them. */
export const SMALL_BODY = 16_384

/** Bodies from this size on are processed one at a time: with its text and values each takes several times its size. */
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

  /** Returns a hold for one body, which holds nothing yet. */
  open(): BodyHold {
    return new BodyHold(this)
  }

  /** Returns false if there is no room for `bytes` more. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.most) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
  }

  /** Runs `work` for large bodies one after the other, with other events of the loop in between. */
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

  /** Reserves room for `bytes` in total. Returns false if there is none. */
  reach(bytes: number): boolean {
    if (bytes <= SMALL_BODY || bytes <= this.#bytes) return true
    if (!this.#budget.take(bytes - this.#bytes)) return false
    this.#bytes = bytes
    return true
  }

  /** Releases the room beyond `bytes`. */
  shrink(bytes: number): void {
    const kept = bytes <= SMALL_BODY ? 0 : Math.min(bytes, this.#bytes)
    this.#budget.give(this.#bytes - kept)
    this.#bytes = kept
  }

  release(): void {
    this.shrink(0)
  }
}
