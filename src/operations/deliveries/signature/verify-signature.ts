// Verifies the signature of a webhook request by its sender's scheme (docs/signatures.md#what-is-checked).
import { type HmacKey, isSameText } from '../../../base/signing/hmac.ts'
import { Refusal } from './refusal.ts'
import { type Claim, SCHEMES, type Scheme, type SignatureScheme } from './schemes.ts'
import { requireNear } from './signed-time.ts'
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

function verify(scheme: Scheme, settings: SignatureSettings, request: SignedRequest): void {
  const { keys, claim } = claimed(scheme, settings, request)
  const fits = keys.some((key) => {
    const expected = key.of('sha256', [claim.prefix, request.body], scheme.encoding)
    return claim.signatures.some((signature) => isSameText(signature, expected))
  })
  if (!fits) throw new Refusal('the signature does not match')
}

/** A check that takes the body part by part. */
export interface BodyCheck {
  update(part: Uint8Array): void
  /** Throws Refusal if the signature does not fit what came. */
  end(): void
}

/** Throws Refusal if the head alone shows that the signature cannot fit. */
export function beginSignature(
  name: SignatureScheme,
  settings: SignatureSettings,
  request: Omit<SignedRequest, 'body'>,
): BodyCheck {
  const scheme: Scheme = SCHEMES[name]
  const { keys, claim } = claimed(scheme, settings, request)
  const hmacs = keys.map((key) => {
    const hmac = key.begin('sha256', scheme.encoding)
    hmac.update(claim.prefix)
    return hmac
  })
  return {
    update(part) {
      for (const hmac of hmacs) hmac.update(part)
    },
    end() {
      const expected = hmacs.map((hmac) => hmac.end())
      const fits = expected.some((one) => claim.signatures.some((signature) => isSameText(signature, one)))
      if (!fits) throw new Refusal('the signature does not match')
    },
  }
}

/** Returns the keys, and what the head says of the signature. */
function claimed(
  scheme: Scheme,
  settings: SignatureSettings,
  { rawHeaders, nowMs }: Omit<SignedRequest, 'body'>,
): { keys: HmacKey[]; claim: Claim } {
  const keys = settings.secrets.map(scheme.key.decode).filter((key) => key !== null)
  if (!keys.length) throw new Refusal(scheme.key.missing)
  const claim = scheme.read(settings.header ?? scheme.header, (name) => soleHeader(rawHeaders, name))
  if (claim.signedAt !== null) requireRecent(claim.signedAt, settings.toleranceSeconds, nowMs)
  return { keys, claim }
}

function requireRecent(signedAt: string, toleranceSeconds: number, nowMs: number): void {
  if (!/^\d+$/.test(signedAt)) throw new Refusal('the timestamp is not a whole number of seconds since 1970')
  requireNear(Number(signedAt) * 1000, toleranceSeconds, nowMs)
}
