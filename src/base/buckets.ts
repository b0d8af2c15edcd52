// Limits how often each key may act: `burst` times at once, then once more after each `refillMs`.

interface Bucket {
  left: number
  at: number
}

export class Buckets {
  readonly #burst: number
  readonly #refillMs: number
  readonly #maxKeys: number
  /** The buckets; the least recently used one comes first and is dropped first. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(burst: number, refillMs: number, maxKeys = Number.POSITIVE_INFINITY) {
    this.#burst = burst
    this.#refillMs = refillMs
    this.#maxKeys = maxKeys
  }

  /** Takes a permit. Returns null, or the seconds to wait if there is none. */
  take(key: string, now: number): number | null {
    const { left, at } = this.#buckets.get(key) ?? { left: this.#burst, at: now }
    const filled = Math.min(this.#burst, left + Math.max(0, now - at) / this.#refillMs)
    this.#put(key, { left: filled < 1 ? filled : filled - 1, at: now })
    return filled < 1 ? Math.max(1, Math.ceil(((1 - filled) * this.#refillMs) / 1000)) : null
  }

  giveBack(key: string): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.left = Math.min(this.#burst, bucket.left + 1)
  }

  /** Drops the buckets that are full again. */
  sweep(now: number): void {
    const refilled = now - this.#burst * this.#refillMs
    for (const [key, bucket] of this.#buckets) if (bucket.at < refilled) this.#buckets.delete(key)
  }

  #put(key: string, bucket: Bucket): void {
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#maxKeys) this.#buckets.delete(this.#buckets.keys().next().value!)
  }
}
