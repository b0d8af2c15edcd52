// Keeps all API tokens in memory by their digests, so that a request needs no look-up in the database.
import type { TokenRecord, TokenStore } from '../ports/access.ts'
import type { Together } from '../ports/audit.ts'
import type { Page, Paged } from '../ports/page.ts'
import { digestOf } from './secret-code.ts'

/** Scanners recognise a token that was committed by mistake by this prefix. */
export const PREFIX = 'mr_'
const NOTE_USE_EVERY_MS = 60_000

export class ApiTokens {
  readonly #store: TokenStore
  readonly #together: Together
  readonly #failed: (error: unknown) => void
  /** Whether other processes change the table too. */
  readonly #shared: boolean
  #byDigest = new Map<string, TokenRecord>()
  #changes = 0

  constructor(store: TokenStore, together: Together, failed: (error: unknown) => void, shared = false) {
    this.#store = store
    this.#together = together
    this.#failed = failed
    this.#shared = shared
  }

  /** Reads the table, at start and after changes made elsewhere. Returns the ids of the tokens that are gone. */
  async reload(): Promise<string[]> {
    let tokens: TokenRecord[]
    let before: number
    do {
      before = this.#changes
      tokens = await this.#store.all()
      // A token that was revoked during the read must not come back.
    } while (before !== this.#changes)
    const known = this.#byDigest
    this.#byDigest = new Map(tokens.map((token) => [token.digest, token]))
    return [...known.values()].filter(({ digest }) => !this.#byDigest.has(digest)).map(({ id }) => id)
  }

  /** Reads the table again before a list, if other processes create and revoke tokens too. */
  async catchUp(): Promise<void> {
    if (this.#shared) await this.reload()
  }

  /** Does what `find` does, but asks the table if other processes create and revoke tokens too. */
  async findCurrent(token: string, now: number, address: string): Promise<TokenRecord | null> {
    if (this.#shared && token.startsWith(PREFIX)) {
      const digest = digestOf(token)
      const stored = await this.#store.find(digest)
      if (stored) this.#byDigest.set(digest, stored)
      else this.#byDigest.delete(digest)
    }
    return this.find(token, now, address)
  }

  /** `address`: from where it is used. */
  find(token: string, now: number, address: string): TokenRecord | null {
    const found = token.startsWith(PREFIX) ? this.#byDigest.get(digestOf(token)) : undefined
    if (!found || (found.expiresAt !== null && found.expiresAt <= now)) return null
    if (now - (found.lastUsedAt ?? 0) >= NOTE_USE_EVERY_MS) {
      found.lastUsedAt = now
      found.lastAddress = address
      this.#store.used(found.id, now, address).catch(this.#failed)
    }
    return found
  }

  byId(id: string): TokenRecord | undefined {
    return [...this.#byDigest.values()].find((token) => token.id === id)
  }

  /** Returns tokens, newest first. */
  list({ limit, cursor }: Page): Paged<TokenRecord> {
    const all = [...this.#byDigest.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const after = cursor === null ? all : all.filter(({ id }) => id < cursor)
    return { items: after.slice(0, limit), nextCursor: after.length > limit ? after[limit - 1]!.id : null }
  }

  /** Returns false if the token's user is gone or has less by now, or the token that makes it is gone. */
  async add(token: TokenRecord): Promise<boolean> {
    if (!(await this.#store.add(token))) return false
    await this.#together.after(() => {
      this.#changes++
      this.#byDigest.set(token.digest, token)
    })
    return true
  }

  /** Revokes the token, with those that it made. It is invalid once this call, and the transaction around it, resolves. */
  async remove(id: string): Promise<TokenRecord | null> {
    const removed = await this.#store.remove(id)
    await this.#together.after(() => {
      this.#changes++
      if (removed) this.#byDigest.delete(removed.digest)
    })
    return removed
  }

  /** Deletes all tokens of a user. They are invalid after the next reload. */
  removeOf(userId: string): Promise<void> {
    return this.#store.removeOf(userId)
  }
}
