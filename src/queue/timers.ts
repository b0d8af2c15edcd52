// Runs work later and regularly, until it is stopped.

export class Timers {
  readonly #longestMs: number
  readonly #failed: (error: unknown) => void
  readonly #timers = new Set<NodeJS.Timeout>()
  #started = false

  /** No timer of `after` waits longer than `longestMs`. */
  constructor(longestMs: number, failed: (error: unknown) => void) {
    this.#longestMs = longestMs
    this.#failed = failed
  }

  start(): void {
    this.#started = true
  }

  stop(): void {
    this.#started = false
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  every(ms: number, work: () => Promise<void>): void {
    this.after(ms, () => {
      work()
        .catch((error) => this.#failed(error))
        .finally(() => this.every(ms, work))
    })
  }

  /** Runs work after this time at the latest, or after `longestMs`. */
  after(ms: number, work: () => void): void {
    this.later(Math.min(ms, this.#longestMs), work)
  }

  /** Runs work when the whole time has passed. */
  later(ms: number, work: () => void): void {
    if (!this.#started) return
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        if (this.#started) work()
      },
      Math.max(0, ms),
    )
    this.#timers.add(timer)
  }
}
