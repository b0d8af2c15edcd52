// Accepts deliveries as fast as they can be stored. A short turn of the event loop begins all of them; a long turn refuses further
// ones for a while, which is cheaper, so that no sender waits for long. In an overload a turn lasts for seconds, because sockets that
// were answered have the next request before it ends: so begins and refuses by turns within it, most of the time the former.

export interface IntakeLimits {
  /** After so long a turn refuses what comes, if it has begun `perTurn` deliveries. */
  beginMs: number
  perTurn: number
  /** After so long it begins deliveries again. */
  refuseMs: number
  /** The most deliveries that the store has been given and has not stored yet. */
  mostStoring: number
}

const LIMITS: IntakeLimits = { beginMs: 200, perTurn: 300, refuseMs: 60, mostStoring: 2_000 }

/**
 * After this many deliveries in one turn, finished writes are settled and ready ones sent: a long turn must not delay their senders. If the turn
 * before had several, more are on their way: then the next are begun while the first are written.
 */
const LOOK_EVERY = 64
const LOOK_EVERY_WHEN_BUSY = 8

export class Intake {
  readonly #look: () => void
  readonly #limits: IntakeLimits
  readonly #clock: () => number
  /** How many came in this turn, and after how many of them is looked. */
  #came = 0
  #lookEvery = LOOK_EVERY
  #begun = 0
  #beginningSince = 0
  #refusingSince: number | null = null
  #storing = 0
  #joining = 0

  constructor(look: () => void, limits: IntakeLimits = LIMITS, clock: () => number = () => performance.now()) {
    this.#look = look
    this.#limits = limits
    this.#clock = clock
  }

  /** Returns whether a delivery that arrives now is accepted. */
  next(): 'begin' | 'refuse' {
    if (this.#came === 0) {
      this.#beginAgain(this.#clock())
      setImmediate(this.#nextTurn)
    }
    if (++this.#came % this.#lookEvery === 0) this.#look()
    if (this.#storing >= this.#limits.mostStoring || this.#isRefusing()) return 'refuse'
    this.#begun++
    return 'begin'
  }

  /** Whether deliveries were begun for long, and not refused for as long as they should be since. */
  #isRefusing(): boolean {
    const { beginMs, perTurn, refuseMs } = this.#limits
    if (this.#begun < perTurn) return false
    const now = this.#clock()
    if (now - this.#beginningSince < beginMs) return false
    this.#refusingSince ??= now
    if (now - this.#refusingSince < refuseMs) return true
    this.#beginAgain(now)
    return false
  }

  #beginAgain(now: number): void {
    this.#beginningSince = now
    this.#refusingSince = null
    this.#begun = 0
  }

  /** Whether the store has been given as much as it can keep up with. */
  get isFull(): boolean {
    return this.#storing >= this.#limits.mostStoring
  }

  /** The number of runs that are put in line once they are stored. */
  get joining(): number {
    return this.#joining
  }

  async join<T>(stored: Promise<T>): Promise<T> {
    this.#joining++
    try {
      return await stored
    } finally {
      this.#joining--
    }
  }

  /** Counts a delivery that the store was given. A call of `stored` follows, even if storing fails. */
  storing(): void {
    this.#storing++
  }

  stored(): void {
    this.#storing--
  }

  readonly #nextTurn = (): void => {
    this.#lookEvery = this.#came < LOOK_EVERY_WHEN_BUSY ? LOOK_EVERY : LOOK_EVERY_WHEN_BUSY
    this.#came = 0
  }
}
