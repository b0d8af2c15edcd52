// The database's clock, which all processes use: asked for now and then, and extrapolated by a clock that never jumps.

/** An upper bound for how far two clocks drift apart, per millisecond. */
const DRIFT = 0.001

export class PostgresClock {
  readonly #elapsedMs: () => number
  /** `ms` is added to the steady clock; `within` is the possible error; `at` is the time of the measurement. */
  #offset: { ms: number; within: number; at: number } | null = null

  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs
  }

  /** Returns whole milliseconds. */
  readonly now = (): number => (this.#offset === null ? Date.now() : Math.floor(this.#elapsedMs() + this.#offset.ms))

  /** Measures the offset. `ask` resolves with the database's time; the longer it takes, the less exact the result. */
  async measure(ask: () => Promise<number>): Promise<void> {
    const asked = this.#elapsedMs()
    const time = await ask()
    const at = this.#elapsedMs()
    const within = (at - asked) / 2
    const ms = time - (asked + at) / 2
    const before = this.#offset
    const held = before === null ? Number.POSITIVE_INFINITY : before.within + (at - before.at) * DRIFT
    // The more exact measurement counts, unless the two contradict each other: then the database's clock was set.
    if (before === null || within <= held || Math.abs(ms - before.ms) > within + held) this.#offset = { ms, within, at }
  }
}
