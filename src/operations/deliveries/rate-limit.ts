// Requests per second and key, with a burst of twice that: a token bucket each.

interface Bucket {
  tokens: number
  at: number
}

export class RateLimit {
  readonly #perSecond: number
  /** At least one: a rate below one per two seconds must still let something in. */
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

  /** 0 is off. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#burst = Math.max(1, perSecond * 2)
  }

  /** null: go ahead; otherwise the seconds to wait. */
  take(key: string, now: number): number | null {
    if (this.#perSecond === 0) return null
    const burst = this.#burst
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    this.#buckets.set(key, bucket)
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond))
    bucket.tokens -= 1
    return null
  }

  /** Forgets buckets that are full again. */
  sweep(now: number): void {
    const refillMs = (this.#burst / this.#perSecond) * 1000
    for (const [key, bucket] of this.#buckets) if (now - bucket.at > refillMs) this.#buckets.delete(key)
  }
}
