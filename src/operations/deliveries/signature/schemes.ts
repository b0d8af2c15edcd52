// Describes how each sender signs: where the signature is, what it covers besides the body, and how it is encoded.
import { KEY_FORMS, type KeyForm } from '../../../base/signing/key-forms.ts'
import { Refusal } from './refusal.ts'

/** The signature data in a request's headers. */
export interface Claim {
  /** The text that is signed before the body; Latin-1, as headers are. */
  prefix: string
  /** The signatures, of which one has to match. */
  signatures: readonly string[]
  /** The signed time, in seconds since 1970, as text; null if the scheme signs no time. */
  signedAt: string | null
}

export interface Scheme {
  header: string
  encoding: 'hex' | 'base64'
  key: KeyForm
  /** Reads the headers. `one` returns the only value of a header. */
  read(header: string, one: (name: string) => string): Claim
}

const bodyOnly = (signature: string): Claim => ({ prefix: '', signatures: [signature], signedAt: null })

const GITHUB: Scheme = {
  header: 'X-Hub-Signature-256',
  encoding: 'hex',
  key: KEY_FORMS.text,
  read: (header, one) =>
    bodyOnly(
      match(one(header), header, /^sha256=([0-9a-f]{64})$/, 'sha256= and 64 hexadecimal digits in small letters'),
    ),
}

const HMAC_SHA256: Scheme = {
  header: 'X-Signature',
  encoding: 'hex',
  key: KEY_FORMS.text,
  read: (header, one) =>
    bodyOnly(
      match(
        one(header),
        header,
        /^(?:sha256=)?([0-9a-fA-F]{64})$/,
        '64 hexadecimal digits, with or without sha256= before them',
      ).toLowerCase(),
    ),
}

const SHOPIFY: Scheme = {
  header: 'X-Shopify-Hmac-Sha256',
  encoding: 'base64',
  key: KEY_FORMS.text,
  read: (header, one) => bodyOnly(match(one(header), header, /^([A-Za-z0-9+/]{43}=)$/, '32 bytes in base64')),
}

const SLACK: Scheme = {
  header: 'X-Slack-Signature',
  encoding: 'hex',
  key: KEY_FORMS.text,
  read(header, one) {
    const signedAt = one(`${stem(header, 'X-Slack-')}Request-Timestamp`)
    const signature = match(
      one(header),
      header,
      /^v0=([0-9a-f]{64})$/,
      'v0= and 64 hexadecimal digits in small letters',
    )
    return { prefix: `v0:${signedAt}:`, signatures: [signature], signedAt }
  },
}

const STRIPE: Scheme = {
  header: 'Stripe-Signature',
  encoding: 'hex',
  key: KEY_FORMS.text,
  read(header, one) {
    // Some libraries and gateways put spaces into the list.
    const parts = pairs(one(header).replaceAll(/,[ \t]+/g, ','), header, ',', '=')
    const times = parts.filter(([name]) => name === 't')
    if (times.length !== 1) throw new Refusal(`the header ${header} does not hold exactly one t=`)
    const signedAt = times[0]![1]
    return { prefix: `${signedAt}.`, signatures: ofVersion1(parts, header), signedAt }
  },
}

const STANDARD_WEBHOOKS: Scheme = {
  header: 'webhook-signature',
  encoding: 'base64',
  key: KEY_FORMS.whsec,
  read(header, one) {
    const names = stem(header, 'webhook-')
    const id = one(`${names}id`)
    // A full stop ends the id in the signed text: an id with another one could absorb the signed time and body.
    if (id.includes('.')) throw new Refusal(`the header ${names}id holds a full stop`)
    const signedAt = one(`${names}timestamp`)
    const signatures = ofVersion1(pairs(one(header), header, ' ', ','), header)
    return { prefix: `${id}.${signedAt}.`, signatures, signedAt }
  },
}

export const SCHEMES = {
  github: GITHUB,
  stripe: STRIPE,
  slack: SLACK,
  shopify: SHOPIFY,
  'standard-webhooks': STANDARD_WEBHOOKS,
  'hmac-sha256': HMAC_SHA256,
}

export type SignatureScheme = keyof typeof SCHEMES

/** Returns the prefix of a scheme's headers. Senders that adopt a scheme change only it: svix-signature, svix-id. */
function stem(header: string, usual: string): string {
  return /^(.*-)signature$/i.exec(header)?.[1] ?? usual
}

function match(value: string, header: string, pattern: RegExp, form: string): string {
  const signature = pattern.exec(value)?.[1]
  if (signature === undefined) throw new Refusal(`the header ${header} is not ${form}`)
  return signature
}

/** Splits a header into pairs. Throws on a comma or white space in a part, which shows that proxies joined two headers. */
function pairs(value: string, header: string, between: string, within: string): [name: string, value: string][] {
  return value.split(between).map((part) => {
    const at = part.indexOf(within)
    const pair: [string, string] = [part.slice(0, at), part.slice(at + 1)]
    if (at < 1 || pair.some((text) => /[,\s]/.test(text))) throw new Refusal(`the header ${header} is malformed`)
    return pair
  })
}

/** Returns the signatures of v1. Both schemes tell receivers to ignore signatures of other versions. */
function ofVersion1(parts: readonly [string, string][], header: string): string[] {
  const signatures = parts.filter(([name]) => name === 'v1').map(([, signature]) => signature)
  if (!signatures.length) throw new Refusal(`the header ${header} holds no signature of version v1`)
  return signatures
}
