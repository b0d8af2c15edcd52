// Counts how often Millrace itself could not carry a run on, and says when the run is tried again, or that it is given up.

export const MOST_ATTEMPTS = 5
const FIRST_DELAY_MS = 1_000

export class RunTroubles {
  readonly #attempts = new Map<string, number>()
  readonly #factor: number
  readonly #firstMs: number
  readonly #isOfRun: (error: unknown) => boolean

  /** `isOfRun`: whether an error may be the run's own; other runs would have any other error too, and no run is given up for it. */
  constructor(giveUpAfterMs: number, isOfRun: (error: unknown) => boolean) {
    this.#firstMs = Math.min(FIRST_DELAY_MS, giveUpAfterMs / (MOST_ATTEMPTS - 1))
    this.#factor = factorOf(giveUpAfterMs / this.#firstMs)
    this.#isOfRun = isOfRun
  }

  /** Notes that an attempt failed. Returns the milliseconds until the next one. */
  failed(runId: string, error: unknown): number {
    if (!this.#isOfRun(error)) return FIRST_DELAY_MS
    const attempts = (this.#attempts.get(runId) ?? 0) + 1
    this.#attempts.set(runId, attempts)
    return attempts < MOST_ATTEMPTS ? this.#firstMs * this.#factor ** (attempts - 1) : 0
  }

  /** Carries a run on, or gives it up after the last attempt. */
  async carry<T>(runId: string, attempt: () => Promise<T>, giveUp: () => Promise<T>): Promise<T> {
    if (this.#attempts.size === 0) return attempt()
    const isOver = (this.#attempts.get(runId) ?? 0) >= MOST_ATTEMPTS
    const advanced = await (isOver ? giveUp() : attempt())
    this.#attempts.delete(runId)
    return advanced
  }
}

/** Returns the factor by which the delays grow, so that all of them together are `sum` times the first. */
function factorOf(sum: number): number {
  const together = (factor: number): number =>
    Array.from({ length: MOST_ATTEMPTS - 1 }, (_, i) => factor ** i).reduce((a, b) => a + b)
  let [low, high] = [1, Math.max(1, sum)]
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (together(middle) < sum) low = middle
    else high = middle
  }
  return low
}
