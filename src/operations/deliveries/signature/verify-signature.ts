// Verifies the signature of a webhook request by its sender's scheme (docs/signatures.md#what-is-checked).
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from './refusal.ts'
import { SCHEMES, type Scheme, type SignatureScheme } from './schemes.ts'
import { soleHeader } from './sole-header.ts'

export interface SignatureSettings {
  /** The secrets; more than one during a rotation, when any of them may have signed. */
  secrets: readonly string[]
  /** null for the scheme's own header name. */
  header: string | null
  toleranceSeconds: number
}

export interface SignedRequest {
  /** Names and values as on the wire: name, value, name, value … */
  rawHeaders: readonly string[]
  body: Uint8Array
  nowMs: number
}

/** Returns true, or the reason why not, which reveals neither a secret nor the expected signature. */
export function verifySignature(
  scheme: SignatureScheme,
  settings: SignatureSettings,
  request: SignedRequest,
): true | string {
  try {
    verify(SCHEMES[scheme], settings, request)
    return true
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function verify(scheme: Scheme, settings: SignatureSettings, { rawHeaders, body, nowMs }: SignedRequest): void {
  const keys = settings.secrets.map(scheme.key.decode).filter((key) => key !== null)
  if (!keys.length) throw new Refusal(scheme.key.missing)
  const claim = scheme.read(settings.header ?? scheme.header, (name) => soleHeader(rawHeaders, name))
  if (claim.signedAt !== null) requireRecent(claim.signedAt, settings.toleranceSeconds, nowMs)
  const fits = keys.some((key) => {
    const expected = createHmac('sha256', key).update(claim.prefix, 'latin1').update(body).digest(scheme.encoding)
    return claim.signatures.some((signature) => equalInConstantTime(signature, expected))
  })
  if (!fits) throw new Refusal('the signature does not match')
}

function requireRecent(signedAt: string, toleranceSeconds: number, nowMs: number): void {
  if (!/^\d+$/.test(signedAt)) throw new Refusal('the timestamp is not a whole number of seconds since 1970')
  const away = Math.abs(nowMs - Number(signedAt) * 1000)
  // The negated comparison also refuses NaN.
  if (!(away <= toleranceSeconds * 1000))
    throw new Refusal(`the timestamp is more than ${toleranceSeconds} s away from now`)
}

/** Compares in constant time. Only the length of the expected signature is public. */
function equalInConstantTime(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
