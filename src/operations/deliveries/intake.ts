// Accepts deliveries as fast as they can be stored. A short turn of the event loop begins all of them; a long turn refuses
// further ones, which is cheaper, so that no sender waits for long.

export interface IntakeLimits {
  /** A turn that lasts longer than this begins no more than `perTurn` deliveries. */
  longestTurnMs: number
  perTurn: number
  /** The most deliveries that the store has been given and has not stored yet. */
  mostStoring: number
}

const LIMITS: IntakeLimits = { longestTurnMs: 250, perTurn: 500, mostStoring: 2_000 }

/** After this many deliveries in one turn, finished writes are settled: a long turn must not delay their senders. */
const LOOK_EVERY = 64

export class Intake {
  readonly #look: () => void
  readonly #limits: IntakeLimits
  readonly #clock: () => number
  #turnSince = 0
  #came = 0
  #begun = 0
  #storing = 0

  constructor(look: () => void, limits: IntakeLimits = LIMITS, clock: () => number = () => performance.now()) {
    this.#look = look
    this.#limits = limits
    this.#clock = clock
  }

  /** Returns whether a delivery that arrives now is accepted. */
  next(): 'begin' | 'refuse' {
    if (this.#came === 0) {
      this.#turnSince = this.#clock()
      setImmediate(this.#nextTurn)
    }
    if (++this.#came % LOOK_EVERY === 0) this.#look()
    const { longestTurnMs, perTurn, mostStoring } = this.#limits
    if (this.#storing >= mostStoring) return 'refuse'
    if (this.#begun >= perTurn && this.#clock() - this.#turnSince >= longestTurnMs) return 'refuse'
    this.#begun++
    return 'begin'
  }

  /** Whether the store has been given as much as it can keep up with. */
  get isFull(): boolean {
    return this.#storing >= this.#limits.mostStoring
  }

  get beingStored(): number {
    return this.#storing
  }

  /** Counts a delivery that the store was given. A call of `stored` follows, even if storing fails. */
  storing(): void {
    this.#storing++
  }

  stored(): void {
    this.#storing--
  }

  readonly #nextTurn = (): void => {
    this.#came = 0
    this.#begun = 0
  }
}
