// Requests per second and key, with a burst of twice that.
import { Buckets } from '../../base/buckets.ts'

export class RateLimit {
  readonly #buckets: Buckets | null

  /** 0 is off. The burst is one at least: a rate below one per two seconds must still let something in. */
  constructor(perSecond: number) {
    this.#buckets = perSecond === 0 ? null : new Buckets(Math.max(1, perSecond * 2), 1000 / perSecond)
  }

  /** null: go ahead; otherwise the seconds to wait. */
  take(key: string, now: number): number | null {
    return this.#buckets ? this.#buckets.take(key, now) : null
  }

  /** Forgets keys that have not come for a while. */
  sweep(now: number): void {
    this.#buckets?.sweep(now)
  }
}
