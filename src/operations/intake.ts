// Deliveries come in as fast as they can be stored. In each turn of the event loop only so many are begun, so that turns stay short
// and new connections are accepted. The rest wait in line, and who would wait too long is refused.

export interface IntakeLimits {
  /** Begun in one turn; or half of those that have come since the last one, where that is more and made it a long one. */
  perTurn: number
  /** When the first in line has waited so long, and more are in line than the next two turns begin, whoever comes is refused. */
  longestWaitMs: number
  /** Likewise when so many are in line, or are given to the store and not stored yet. */
  mostWaiting: number
}

const LIMITS: IntakeLimits = { perTurn: 64, longestWaitMs: 250, mostWaiting: 2_000 }

export class Intake {
  readonly #limits: IntakeLimits
  readonly #clock: () => number
  #line: { since: number; begin(): void }[] = []
  #begun = 0
  #came = 0
  #storing = 0
  #armed = false

  constructor(limits: IntakeLimits = LIMITS, clock: () => number = () => performance.now()) {
    this.#limits = limits
    this.#clock = clock
  }

  /** What is to become of a delivery that comes now. */
  next(): 'begin' | 'wait' | 'refuse' {
    const { perTurn, mostWaiting, longestWaitMs } = this.#limits
    this.#came++
    if (this.#storing >= mostWaiting) return 'refuse'
    const first = this.#line[0]
    if (first) {
      const { length } = this.#line
      const late = length > 2 * perTurn && this.#clock() - first.since >= longestWaitMs
      return late || length >= mostWaiting ? 'refuse' : 'wait'
    }
    if (this.#begun >= perTurn) return 'wait'
    this.#begun++
    this.#arm()
    return 'begin'
  }

  /** Begins it in a later turn. */
  wait(begin: () => void): void {
    this.#line.push({ since: this.#clock(), begin })
    this.#arm()
  }

  /** A delivery was given to the store; `stored` follows, also when that failed. */
  storing(): void {
    this.#storing++
  }

  stored(): void {
    this.#storing--
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    setImmediate(this.#nextTurn)
  }

  readonly #nextTurn = (): void => {
    this.#armed = false
    const count = Math.max(this.#limits.perTurn, Math.floor(this.#came / 2))
    this.#begun = 0
    this.#came = 0
    if (this.#line.length === 0) return
    this.#arm()
    for (const { begin } of this.#line.splice(0, count)) begin()
  }
}
