// Tells from how long runs take whether a new one would wait for long.

/** A line is slow if a new run waits longer than this and than a run takes without load. A short line never is. */
const SLOW_MS = 100
const SHORT_LINE = 64
/** The weight of the latest run in the moving averages. */
const WEIGHT = 0.05

export class RunTimes {
  #meanMs = 0
  /** The average of the runs that ended while no other waited: under load each run takes longer because of the others. */
  #usualMs = 0

  took(ms: number, othersWait: boolean): void {
    const tookMs = Math.max(0, ms)
    this.#meanMs += (tookMs - this.#meanMs) * WEIGHT
    if (!othersWait) this.#usualMs += (tookMs - this.#usualMs) * WEIGHT
  }

  isSlow(ahead: number, concurrency: number): boolean {
    if (ahead <= SHORT_LINE) return false
    return (ahead / concurrency) * this.#meanMs > Math.max(SLOW_MS, this.#usualMs)
  }
}
