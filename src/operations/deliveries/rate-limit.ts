// Limits the requests per second and key, with a burst of twice that.
import { Buckets } from '../../base/buckets.ts'

export class RateLimit {
  readonly #buckets: Buckets | null

  /** Creates a limit; 0 is off. The burst is at least one, so that a rate below one in two seconds still admits requests. */
  constructor(perSecond: number) {
    this.#buckets = perSecond === 0 ? null : new Buckets(Math.max(1, perSecond * 2), 1000 / perSecond)
  }

  /** Takes a permit. Returns null, or the seconds to wait if there is none. */
  take(key: string, now: number): number | null {
    return this.#buckets ? this.#buckets.take(key, now) : null
  }

  /** Drops keys that have not been used for a while. */
  sweep(now: number): void {
    this.#buckets?.sweep(now)
  }
}
