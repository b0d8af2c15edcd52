// How the text of a secret becomes the key of an HMAC.

export interface KeyForm {
  /** Null where the text is no such key. */
  decode(secret: string): Buffer | null
  missing: string
}

export const TEXT_KEY: KeyForm = {
  decode: (secret) => (secret === '' ? null : Buffer.from(secret)),
  missing: 'the signing secret is empty',
}

const PREFIX = 'whsec_'

/** The prefix may be missing, as in the libraries of Standard Webhooks; what follows is base64 in any case. */
export const WHSEC_KEY: KeyForm = {
  decode(secret) {
    const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
    const key = Buffer.from(text, 'base64')
    // Node decodes whatever it can; only what it would write itself was meant as base64.
    const isBase64 = unpadded(key.toString('base64')) === unpadded(text)
    return key.length && isBase64 ? key : null
  },
  missing: 'the signing secret is not whsec_ followed by base64',
}

const unpadded = (text: string): string => text.replace(/={1,2}$/, '')
