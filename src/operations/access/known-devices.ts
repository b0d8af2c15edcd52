// Browsers that somebody has signed in with before. Guesses from elsewhere, however many, must not keep them out.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { newSecret } from './secret-code.ts'

export class KnownDevices {
  readonly #key: string

  /** `key`: the same in all processes, and after a restart. */
  constructor(key: string) {
    this.#key = key
  }

  /** What the browser shows from now on when this user signs in; it opens nothing by itself. */
  mark(email: string): string {
    const id = newSecret()
    return `${id}.${this.#seal(id, email)}`
  }

  /** Which browser it is; null: this user has not signed in with it. */
  find(shown: string | null, email: string): string | null {
    const [id, seal, ...rest] = (shown ?? '').split('.')
    if (!id || !seal || rest.length) return null
    const [given, expected] = [Buffer.from(seal), Buffer.from(this.#seal(id, email))]
    return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
  }

  #seal(id: string, email: string): string {
    return createHmac('sha256', this.#key).update(`${id} ${email}`).digest('base64url')
  }
}
