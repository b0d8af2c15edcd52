// The keys that a provider signs with. It changes them from time to time: an unknown key makes them be fetched again.
import { createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'

const FRESH_MS = 600_000
/** Anyone can send a token that names an unknown key: the provider is not asked again for each. */
const ASK_AGAIN_MS = 30_000
/** A provider that does not answer is not asked again for each token either. */
const FAILED_MS = 1_000

type Keys = ReturnType<typeof createLocalJWKSet>

export class ProviderKeys {
  readonly #fetch: () => Promise<unknown>
  #keys: { found: Keys; at: number } | null = null
  /** The last time that the provider was asked, and what came of it. */
  #asked: { at: number; answer: Promise<Keys> } | null = null

  constructor(fetch: () => Promise<unknown>) {
    this.#fetch = fetch
  }

  /** Calls `check` with the keys, and again with new ones if none of them fits. */
  async verify<T>(check: (keys: Keys) => Promise<T>): Promise<T> {
    const keys = this.#fresh() ?? (await this.#ask(FAILED_MS))
    try {
      return await check(keys)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const newer = await this.#ask(ASK_AGAIN_MS)
      if (newer === keys) throw error
      return check(newer)
    }
  }

  #fresh(): Keys | null {
    return this.#keys && Date.now() - this.#keys.at < FRESH_MS ? this.#keys.found : null
  }

  /** Asks the provider, unless it was asked within `restMs`: then what came of that counts. Keys that are there stay if it fails. */
  #ask(restMs: number): Promise<Keys> {
    const at = Date.now()
    if (this.#asked && at - this.#asked.at < restMs) return this.#asked.answer
    const answer = this.#fetch().then((given) => {
      const found = createLocalJWKSet(given as JSONWebKeySet)
      this.#keys = { found, at }
      return found
    })
    // Whoever waits for it is told; nobody may.
    answer.catch(() => {})
    this.#asked = { at, answer }
    return answer
  }
}
