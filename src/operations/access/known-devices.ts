// Recognises browsers that a user has signed in with before, so that guesses from elsewhere never lock them out.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { newSecret } from './secret-code.ts'

export class KnownDevices {
  readonly #key: string

  /** Takes a `key` that is the same in all processes and after a restart. */
  constructor(key: string) {
    this.#key = key
  }

  /** Returns the mark that this browser sends at the user's next sign-in. The mark alone grants no access. */
  mark(email: string): string {
    const id = newSecret()
    return `${id}.${this.#seal(id, email)}`
  }

  /** Returns the id of the browser; null if this user has not signed in with it. */
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
