// Tells from how long runs take whether a new one would wait for long.

/** A line is slow if a new run waits longer than this and than a run takes without load. A short line never is. */
const SLOW_MS = 150
const SHORT_LINE = 64
/** The weight of the latest run in the moving averages. */
const WEIGHT = 0.05

export class RunTimes {
  /** By how much each run in line delays the next: the average of how long runs take, divided by how many there may be at once. */
  #eachMs = 0
  /** The average of the runs that ended while no other waited: under load each run takes longer because of the others. */
  #usualMs = 0

  took(ms: number, atOnce: number, othersWait: boolean): void {
    const tookMs = Math.max(0, ms)
    this.#eachMs += (tookMs / atOnce - this.#eachMs) * WEIGHT
    if (!othersWait) this.#usualMs += (tookMs - this.#usualMs) * WEIGHT
  }

  isSlow(ahead: number): boolean {
    return ahead > SHORT_LINE && ahead * this.#eachMs > Math.max(SLOW_MS, this.#usualMs)
  }
}
