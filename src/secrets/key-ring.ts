// The keys that seal secrets: the first encrypts, all decrypt, and each has an id that reveals nothing about it.
import { createHash, createSecretKey, type KeyObject } from 'node:crypto'

export interface Key {
  id: string
  bytes: KeyObject
}

const KEY_BYTES = 32
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/

/** Returns whether the text is 32 bytes in base64. */
export const isKeyText = (text: string): boolean =>
  BASE64.test(text) && Buffer.from(text, 'base64').length === KEY_BYTES

export class KeyRing {
  readonly first: Key
  readonly #byId: ReadonlyMap<string, Key>

  /** Expects at least one key, each valid by `isKeyText`. */
  constructor(texts: readonly string[]) {
    const keys = texts.map(toKey)
    this.first = keys[0]!
    this.#byId = new Map(keys.map((key) => [key.id, key]))
  }

  get ids(): string[] {
    return [...this.#byId.keys()]
  }

  find(id: string): Key | undefined {
    return this.#byId.get(id)
  }
}

function toKey(text: string): Key {
  const bytes = Buffer.from(text, 'base64')
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes: createSecretKey(bytes) }
}
