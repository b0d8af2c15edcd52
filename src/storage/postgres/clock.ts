// The database's clock, which all processes go by: asked for now and then, and reckoned on from there by a clock that never jumps.

/** Clocks drift apart; far less than this. */
const DRIFT = 0.001

export class PostgresClock {
  readonly #elapsedMs: () => number
  /** What to add to the steady clock, how far off that may be, and as of when. */
  #offset: { ms: number; within: number; at: number } | null = null

  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs
  }

  /** Whole milliseconds. */
  readonly now = (): number => (this.#offset === null ? Date.now() : Math.floor(this.#elapsedMs() + this.#offset.ms))

  /** `ask` resolves with the time that the database has; the longer that takes, the less exact it is. */
  async measure(ask: () => Promise<number>): Promise<void> {
    const asked = this.#elapsedMs()
    const time = await ask()
    const at = this.#elapsedMs()
    const within = (at - asked) / 2
    const ms = time - (asked + at) / 2
    const before = this.#offset
    const held = before === null ? Number.POSITIVE_INFINITY : before.within + (at - before.at) * DRIFT
    // The more exact one counts, unless both cannot be true: then the database's clock was set.
    if (before === null || within <= held || Math.abs(ms - before.ms) > within + held) this.#offset = { ms, within, at }
  }
}
