// Decodes the text of a secret into the key of an HMAC.

export interface KeyForm {
  /** Returns null if the text is no such key. */
  decode(secret: string): Buffer | null
  missing: string
}

export const TEXT_KEY: KeyForm = {
  decode: (secret) => (secret === '' ? null : Buffer.from(secret)),
  missing: 'the signing secret is empty',
}

const PREFIX = 'whsec_'

/** The prefix is optional, as in the libraries of Standard Webhooks; the rest is always base64. */
export const WHSEC_KEY: KeyForm = {
  decode(secret) {
    const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
    const key = Buffer.from(text, 'base64')
    // Node decodes any text; only text that Node would encode the same way is base64.
    const isBase64 = unpadded(key.toString('base64')) === unpadded(text)
    return key.length && isBase64 ? key : null
  },
  missing: 'the signing secret is not whsec_ followed by base64',
}

const unpadded = (text: string): string => text.replace(/={1,2}$/, '')
