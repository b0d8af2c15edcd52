// Seals texts so that only this service can read them, and only in the place for which they were sealed.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Key, KeyRing } from './key-ring.ts'

const ALGORITHM = 'aes-256-gcm'
const TAG_BYTES = 16
const IV_BYTES = 12
/** Only what comes before the content: a pattern for tens of megabytes would exceed the stack. */
const SEALED = /^sealed:([0-9a-f]{8})\.([\w-]{16})\./

export class Vault {
  readonly #keys: KeyRing
  // Counted up from a random start: no two texts under one key share it, however many are sealed.
  readonly #iv = randomBytes(IV_BYTES)

  constructor(keys: KeyRing) {
    this.#keys = keys
  }

  /** `binding` names the row: a sealed text that is moved to another row is refused. */
  seal(plain: string, binding: string): string {
    const key = this.#keys.first
    increment(this.#iv)
    const cipher = createCipheriv(ALGORITHM, key.bytes, this.#iv).setAAD(associated(key, binding))
    const content = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `sealed:${key.id}.${this.#iv.toString('base64url')}.${content.toString('base64url')}`
  }

  /** Returns null if the text was sealed for another place, with an unknown key, or was changed. */
  unseal(sealed: string, binding: string): string | null {
    const [head, keyId, iv] = SEALED.exec(sealed) ?? []
    const key = keyId === undefined ? undefined : this.#keys.find(keyId)
    if (!key) return null
    const content = Buffer.from(sealed.slice(head!.length), 'base64url')
    if (content.length < TAG_BYTES) return null
    const split = content.length - TAG_BYTES
    const decipher = createDecipheriv(ALGORITHM, key.bytes, Buffer.from(iv!, 'base64url'), { authTagLength: TAG_BYTES })
      .setAAD(associated(key, binding))
      .setAuthTag(content.subarray(split))
    try {
      return Buffer.concat([decipher.update(content.subarray(0, split)), decipher.final()]).toString('utf8')
    } catch {
      return null
    }
  }

  /** Returns the text sealed with the current key; null if it cannot be opened. */
  reseal(sealed: string, binding: string): string | null {
    const plain = this.unseal(sealed, binding)
    return plain === null ? null : this.seal(plain, binding)
  }

  /** Returns a secret for that purpose, which is the same for the same key. */
  derive(purpose: string): string {
    return createHmac('sha256', this.#keys.first.bytes).update(purpose).digest('base64url')
  }

  /** Signs a text for that purpose with the current key. */
  sign(text: string, purpose: string): string {
    const key = this.#keys.first
    return `${key.id}.${signature(key, purpose, text).toString('base64url')}`
  }

  /** Returns whether any of the keys signed the text for that purpose. */
  isSigned(text: string, purpose: string, signed: string): boolean {
    const key = this.#keys.find(signed.slice(0, signed.indexOf('.')))
    if (!key) return false
    const given = Buffer.from(signed.slice(signed.indexOf('.') + 1), 'base64url')
    const right = signature(key, purpose, text)
    return given.length === right.length && timingSafeEqual(given, right)
  }

  /** The ids of the keys; the first key seals. */
  get keyIds(): string[] {
    return this.#keys.ids
  }

  knows(keyId: string): boolean {
    return this.#keys.find(keyId) !== undefined
  }
}

/** Each purpose has a key of its own, derived by HKDF. */
const signature = (key: Key, purpose: string, text: string): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key.bytes, '', purpose, 32)))
    .update(text)
    .digest()

const associated = (key: Key, binding: string): Buffer => Buffer.from(`${key.id}\n${binding}`)

function increment(bytes: Buffer): void {
  for (let i = bytes.length - 1; i >= 0; i--) {
    bytes[i] = (bytes[i]! + 1) & 0xff
    if (bytes[i] !== 0) return
  }
}
