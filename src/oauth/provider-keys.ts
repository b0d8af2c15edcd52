// The keys that a provider signs with. It changes them from time to time: an unknown key makes them be fetched again.
import { createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'

const FRESH_MS = 600_000
/** Anyone can send a token that names an unknown key: the provider is not asked again for each. */
const ASK_AGAIN_MS = 30_000

type Keys = ReturnType<typeof createLocalJWKSet>

export class ProviderKeys {
  readonly #fetch: () => Promise<unknown>
  #keys: Promise<Keys> | null = null
  #fetchedAt = 0

  constructor(fetch: () => Promise<unknown>) {
    this.#fetch = fetch
  }

  /** Calls `check` with the keys, and again with new ones if none of them fits. */
  async verify<T>(check: (keys: Keys) => Promise<T>): Promise<T> {
    const keys = await this.#current(FRESH_MS)
    try {
      return await check(keys)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const newer = await this.#current(ASK_AGAIN_MS)
      if (newer === keys) throw error
      return check(newer)
    }
  }

  #current(freshMs: number): Promise<Keys> {
    if (this.#keys && Date.now() - this.#fetchedAt < freshMs) return this.#keys
    this.#fetchedAt = Date.now()
    const asked = this.#fetch().then((found) => createLocalJWKSet(found as JSONWebKeySet))
    this.#keys = asked
    // A failure is not kept.
    asked.catch(() => {
      if (this.#keys === asked) this.#keys = null
    })
    return asked
  }
}
