// Decodes the text of a secret into the key of an HMAC, and that of a public key.
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { KeyPairAlgorithm } from './algorithm-names.ts'
import { HmacKey } from './hmac.ts'

export interface KeyForm {
  /** Returns null if the text is no such key. */
  decode(secret: string): HmacKey | null
  missing: string
}

/** Making a key takes longer than using it; flows have few keys. */
const MOST_KEPT_KEYS = 1_000

/** Returns a function that remembers the keys that it returned last. */
function keeping<Key>(read: (text: string) => Key | null): (text: string) => Key | null {
  const kept = new Map<string, Key | null>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const key = read(text)
    if (kept.size >= MOST_KEPT_KEYS) kept.delete(kept.keys().next().value!)
    kept.set(text, key)
    return key
  }
}

function keyForm(missing: string, bytesOf: (secret: string) => Buffer | null): KeyForm {
  const decode = keeping((secret) => {
    const bytes = bytesOf(secret)
    return bytes && new HmacKey(bytes)
  })
  return { decode, missing }
}

const TEXT_KEY = keyForm('the signing secret is empty', (secret) => (secret === '' ? null : Buffer.from(secret)))

const PREFIX = 'whsec_'

/** The prefix is optional, as in the libraries of Standard Webhooks; the rest is always base64. */
const WHSEC_KEY = keyForm('the signing secret is not whsec_ followed by base64', (secret) =>
  fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret),
)

const BASE64_KEY = keyForm('the signing secret is not base64', fromBase64)

const HEX_KEY = keyForm('the signing secret is not hexadecimal digits', (secret) =>
  /^(?:[0-9a-fA-F]{2})+$/.test(secret) ? Buffer.from(secret, 'hex') : null,
)

export const KEY_FORMS = { text: TEXT_KEY, hex: HEX_KEY, base64: BASE64_KEY, whsec: WHSEC_KEY }

export type KeyFormName = keyof typeof KEY_FORMS

/** Returns null if the text is empty or no base64: Node decodes any text, so it is encoded again and compared. */
function fromBase64(text: string): Buffer | null {
  const key = Buffer.from(text, 'base64')
  return key.length && unpadded(key.toString('base64')) === unpadded(text) ? key : null
}

const unpadded = (text: string): string => text.replace(/={1,2}$/, '')

/** What comes before the 32 bytes of an Ed25519 key in SPKI (RFC 8410). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

const PUBLIC_KEYS: Readonly<Record<KeyPairAlgorithm, (text: string) => KeyObject | null>> = {
  ed25519: keeping((text) => readPublicKey(text.trim(), 'ed25519')),
  'ecdsa-p256': keeping((text) => readPublicKey(text.trim(), 'ecdsa-p256')),
  'rsa-sha256': keeping((text) => readPublicKey(text.trim(), 'rsa-sha256')),
}

/** Returns the public key of a PEM, of the base64 of an SPKI, or of the 32 hexadecimal bytes of Ed25519; null if it is none of the algorithm. */
export const publicKeyOf = (text: string, algorithm: KeyPairAlgorithm): KeyObject | null => PUBLIC_KEYS[algorithm](text)

function readPublicKey(text: string, algorithm: KeyPairAlgorithm): KeyObject | null {
  try {
    const key = text.startsWith('-----BEGIN') ? createPublicKey(text) : fromSpki(text)
    return isOf(key, algorithm) ? key : null
  } catch {
    return null
  }
}

function fromSpki(text: string): KeyObject {
  const der = /^[0-9a-fA-F]{64}$/.test(text)
    ? Buffer.concat([ED25519_SPKI, Buffer.from(text, 'hex')])
    : Buffer.from(text, 'base64')
  return createPublicKey({ key: der, format: 'der', type: 'spki' })
}

export function isOf(key: KeyObject, algorithm: KeyPairAlgorithm): boolean {
  if (algorithm === 'ed25519') return key.asymmetricKeyType === 'ed25519'
  if (algorithm === 'rsa-sha256') return key.asymmetricKeyType === 'rsa'
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
}
