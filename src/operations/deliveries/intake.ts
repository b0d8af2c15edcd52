// Deliveries come in as fast as they can be stored. While they do not keep one turn of the event loop busy for long, all are begun;
// in a longer one those that still come are refused, which is cheaper, so that nobody waits for long.

export interface IntakeLimits {
  /** A turn that lasts longer begins no more than `perTurn`. */
  longestTurnMs: number
  perTurn: number
  /** So many may be given to the store and not stored yet. */
  mostStoring: number
}

const LIMITS: IntakeLimits = { longestTurnMs: 250, perTurn: 500, mostStoring: 2_000 }

/** After so many in one turn, what has been stored meanwhile is looked for: a long turn must not keep their senders waiting. */
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

  /** Whether a delivery that comes now is taken on. */
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

  get beingStored(): number {
    return this.#storing
  }

  /** A delivery was given to the store; `stored` follows, also when that failed. */
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
