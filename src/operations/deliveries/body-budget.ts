// Limits the bytes of request bodies that are in memory at once. Without room, a request is refused before its body is
// read, so that many large bodies at a time cannot exhaust the memory of the process.
import { Fifo } from '../../base/fifo.ts'
import { DENSEST, READING } from '../ports/queue.ts'

/** Bodies up to this size are always accepted and not counted: they are by far the most, and the intake limits them. */
export const SMALL_BODY = 16_384

export class BodyBudget {
  readonly most: number
  #held = 0
  /** The memory that the values of the bodies take that are not stored yet, or may take. */
  #values = 0
  readonly #line = new Fifo<{ values: number; goOn: () => void }>()

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

  /** Runs `work` when there is room for the values of a body until they are stored. It calls `read` when it knows what they take. */
  async inTurn<T>(bytes: number, work: (read: (values: number) => void) => Promise<T>): Promise<T> {
    if (bytes <= SMALL_BODY) return work(() => {})
    let values = bytes * DENSEST
    if (this.#line.size === 0 && this.#fits(values)) this.#values += values
    // With other events of the loop in between.
    else await new Promise<void>((goOn) => this.#line.push({ values, goOn: () => void setImmediate(goOn) }))
    const count = (taken: number) => {
      this.#values += taken - values
      values = taken
      this.#letOn()
    }
    try {
      return await work(count)
    } finally {
      count(0)
    }
  }

  #fits(values: number): boolean {
    return this.#values === 0 || this.#values + values <= READING
  }

  #letOn(): void {
    for (let first = this.#line.peek(); first && this.#fits(first.values); first = this.#line.peek()) {
      this.#line.shift()
      this.#values += first.values
      first.goOn()
    }
  }
}

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
