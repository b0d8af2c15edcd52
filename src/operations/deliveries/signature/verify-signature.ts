// Whether a webhook request carries the signature that its sender's scheme asks for (docs/signatures.md#what-is-checked).
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from './refusal.ts'
import { SCHEMES, type Scheme, type SignatureScheme } from './schemes.ts'
import { soleHeader } from './sole-header.ts'

export interface SignatureSettings {
  /** More than one while they are rotated: any of them may have signed. */
  secrets: readonly string[]
  /** Null: as the scheme calls it. */
  header: string | null
  toleranceSeconds: number
}

export interface SignedRequest {
  /** As on the wire: name, value, name, value … */
  rawHeaders: readonly string[]
  body: Uint8Array
  nowMs: number
}

/** True, or why not: in words that tell neither a secret nor the signature that was expected. */
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
  // Asked this way round, so that what is no number is refused.
  if (!(away <= toleranceSeconds * 1000))
    throw new Refusal(`the timestamp is more than ${toleranceSeconds} s away from now`)
}

/** The length of what is expected is known to everybody; its characters are not. */
function equalInConstantTime(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
