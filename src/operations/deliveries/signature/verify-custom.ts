// Verifies a signature that is described part by part: of the scheme `custom`, or of the file of a sender.
import { type HmacAlgorithm, isHmac } from '../../../base/signing/algorithm-names.ts'
import { isSignedBy, SIGNATURE_BYTES } from '../../../base/signing/algorithms.ts'
import { type HmacKey, isSameText } from '../../../base/signing/hmac.ts'
import { KEY_FORMS, publicKeyOf } from '../../../base/signing/key-forms.ts'
import { type Bindings, ExpressionError, MISSING } from '../../../flow/expression/index.ts'
import type { CompiledCustom, SignedPart } from '../../../flow/triggers/webhook/compile-auth.ts'
import { Refusal } from './refusal.ts'
import { readTime, requireNear } from './signed-time.ts'
import { headerValues, soleHeader } from './sole-header.ts'
import type { BodyCheck, SignedRequest } from './verify-signature.ts'

/** Each one is compared, and those of key pairs take long to verify. */
const MOST_SIGNATURES = 20

/** Returns true, or the reason why not, which reveals neither a secret nor the expected signature. */
export function verifyCustom(auth: CompiledCustom, bindings: Bindings, request: SignedRequest): true | string {
  try {
    verify(auth, bindings, request)
    return true
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function verify(auth: CompiledCustom, bindings: Bindings, request: SignedRequest): void {
  const fits = keysOf(auth, auth.keys(bindings))
  const signatures = signaturesOf(auth, bindings, request)
  const signed = auth.signed.map((part) => bytesOf(part, bindings) ?? request.body)
  if (!fits(signed, signatures)) throw unfit(auth, signatures)
}

/** Returns the signatures that came. Throws Refusal if they are too old. */
function signaturesOf(
  auth: CompiledCustom,
  bindings: Bindings,
  { rawHeaders, nowMs }: Omit<SignedRequest, 'body'>,
): readonly string[] {
  const { signatures, time } = claimOf(auth, bindings, rawHeaders)
  if (time !== null) (bindings.roots as Record<string, unknown>)['signature'] = { time }
  if (auth.timestamp) requireNear(signedTime(auth.timestamp, bindings), auth.toleranceSeconds, nowMs)
  return signatures
}

function unfit(auth: CompiledCustom, signatures: readonly string[]): Refusal {
  const hasForm = signatures.some((signature) => decode(auth, signature) !== null)
  return new Refusal(hasForm ? 'the signature does not match' : `the signature is not ${formOf(auth)}`)
}

/** Returns whether the signature can be checked while the body comes: its hash takes the body part by part, and once. */
export const isStreamable = ({ algorithm, signed, readsContent }: CompiledCustom): boolean =>
  isHmac(algorithm) && !readsContent && signed.filter((part) => part === null).length <= 1

/** Throws Refusal if the head alone shows that the signature cannot fit. The signature has to be streamable. */
export function beginCustom(auth: CompiledCustom, bindings: Bindings, request: Omit<SignedRequest, 'body'>): BodyCheck {
  const { encoding } = auth
  const algorithm = auth.algorithm as HmacAlgorithm
  const hmacs = hmacKeys(auth, auth.keys(bindings)).map((key) => key.begin(algorithm, encoding))
  const signatures = signaturesOf(auth, bindings, request)
  const signed = auth.signed.map((part) => bytesOf(part, bindings))
  const at = signed.indexOf(null)
  const add = (parts: readonly (Uint8Array | string | null)[]) => {
    for (const hmac of hmacs) for (const part of parts) hmac.update(part!)
  }
  add(at === -1 ? signed : signed.slice(0, at))
  return {
    update(part) {
      if (at !== -1) add([part])
    },
    end() {
      if (at !== -1) add(signed.slice(at + 1))
      const expected = hmacs.map((hmac) => hmac.end())
      if (!expected.some((one) => hasText(signatures, encoding, one))) throw unfit(auth, signatures)
    },
  }
}

const hasText = (signatures: readonly string[], encoding: CompiledCustom['encoding'], expected: string): boolean =>
  signatures.some((one) => isSameText(encoding === 'hex' ? one.toLowerCase() : one, expected))

/** Throws if there is no key: an empty one would fit for everyone who knows that it is empty. */
function hmacKeys({ keyForm }: CompiledCustom, texts: readonly string[]): HmacKey[] {
  const form = KEY_FORMS[keyForm]
  const keys = texts.map(form.decode).filter((key) => key !== null)
  if (!keys.length) throw new Refusal(form.missing)
  return keys
}

type Fits = (signed: readonly (Uint8Array | string)[], signatures: readonly string[]) => boolean

/** Throws if there is no key. */
function keysOf(auth: CompiledCustom, texts: readonly string[]): Fits {
  const { algorithm, encoding } = auth
  if (isHmac(algorithm)) {
    const keys = hmacKeys(auth, texts)
    return (signed, signatures) =>
      keys.some((key) => hasText(signatures, encoding, key.of(algorithm, signed, encoding)))
  }
  const keys = texts.map((text) => publicKeyOf(text, algorithm)).filter((key) => key !== null)
  if (!keys.length) throw new Refusal(`the public key is not one of ${algorithm}`)
  return (signed, signatures) => {
    const given = signatures.map((signature) => decode(auth, signature)).filter((one) => one !== null)
    const parts = signed.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))
    return keys.some((key) => given.some((one) => isSignedBy(algorithm, key, parts, one)))
  }
}

interface Claim {
  signatures: readonly string[]
  /** The entry that is the time; null if the header holds none. */
  time: string | null
}

function claimOf(auth: CompiledCustom, bindings: Bindings, rawHeaders: readonly string[]): Claim {
  const { given, entries, prefixes } = auth
  const found = given ? [givenText(given, bindings)] : valuesOf(auth, auth.headers(bindings), rawHeaders)
  const claims = entries && found.map((one) => entriesOf(entries, one))
  const signatures = claims ? claims.flatMap((claim) => claim.signatures) : found.map(({ value }) => value)
  const place = found[0]!
  if (signatures.length > MOST_SIGNATURES)
    throw new Refusal(`${nameOf(place)} holds more than ${MOST_SIGNATURES} signatures`)
  // A sender may add signatures of another kind beside its own, as long as one is of this kind.
  const bare: string[] = []
  for (const one of signatures) {
    const prefix = prefixes.find((text) => one.startsWith(text))
    if (prefix !== undefined) bare.push(one.slice(prefix.length))
  }
  if (!bare.length) throw new Refusal(`${nameOf(place)} does not begin with ${prefixes[0]!}`)
  return { signatures: bare, time: claims ? claims[0]!.time : null }
}

interface Found {
  /** The header that it comes from; null if it comes from elsewhere. */
  header: string | null
  value: string
}

const nameOf = ({ header }: Found): string => (header === null ? 'the signature' : `the header ${header}`)

/** Returns the values of those headers that are there. */
function valuesOf({ repeats }: CompiledCustom, names: readonly string[], rawHeaders: readonly string[]): Found[] {
  const [first] = names
  if (!repeats && names.length === 1) return [{ header: first!, value: soleHeader(rawHeaders, first!) }]
  const values = names.flatMap((header) => {
    const all = headerValues(rawHeaders, header)
    return repeats || !all.length
      ? all.map((value) => ({ header, value }))
      : [{ header, value: soleHeader(rawHeaders, header) }]
  })
  if (!values.length) throw new Refusal(`the header ${first!} is missing`)
  return values
}

function givenText(given: NonNullable<CompiledCustom['given']>, bindings: Bindings): Found {
  const value = valueOr(given, bindings)
  if (typeof value !== 'string' || value === '') throw new Refusal('the signature is missing')
  return { header: null, value }
}

/** Reads `name=value,name=value`. Entries of other names are left out, so that senders can add some. */
function entriesOf({ between, within, signature, time }: NonNullable<CompiledCustom['entries']>, found: Found): Claim {
  const signatures: string[] = []
  const times: string[] = []
  for (const entry of found.value.split(between)) {
    const trimmed = entry.trim()
    const at = trimmed.indexOf(within)
    if (at < 1) throw new Refusal(`${nameOf(found)} is malformed`)
    const key = trimmed.slice(0, at)
    const value = trimmed.slice(at + within.length)
    if (key === signature) signatures.push(value)
    else if (key === time) times.push(value)
  }
  if (time !== undefined && times.length !== 1)
    throw new Refusal(`${nameOf(found)} does not hold exactly one ${time}${within}`)
  if (!signatures.length) throw new Refusal(`${nameOf(found)} holds no ${signature}${within}`)
  return { signatures, time: times[0] ?? null }
}

/** Returns null if the text has not exactly the form that senders write: another text of the same bytes is none of theirs. */
function decode({ algorithm, encoding }: CompiledCustom, text: string): Buffer | null {
  const length = SIGNATURE_BYTES[algorithm]
  const bytes = Buffer.from(text, encoding)
  if (bytes.length === 0 || (length !== null && bytes.length !== length)) return null
  return bytes.toString(encoding) === (encoding === 'hex' ? text.toLowerCase() : text) ? bytes : null
}

function formOf({ algorithm, encoding }: CompiledCustom): string {
  const length = SIGNATURE_BYTES[algorithm]
  const form = encoding === 'hex' ? 'hexadecimal digits' : 'base64'
  return length === null ? form : `${length} bytes in ${form}`
}

/** Returns bytes, or a text of Latin-1; null: the body. */
function bytesOf(part: SignedPart, bindings: Bindings): Uint8Array | string | null {
  if (part === null) return null
  if (part instanceof Uint8Array) return part
  const text = textOf(part.value, bindings)
  if (part.endsAt !== null && text.includes(part.endsAt)) throw new Refusal('a signed header holds what has to end it')
  return part.encoding === 'latin1' ? text : Buffer.from(text)
}

function textOf(value: (bindings: Bindings) => string, bindings: Bindings): string {
  try {
    return value(bindings)
  } catch (error) {
    if (error instanceof ExpressionError) throw new Refusal('a part of what is signed is missing')
    throw error
  }
}

function signedTime(timestamp: NonNullable<CompiledCustom['timestamp']>, bindings: Bindings): number {
  const value = valueOr(timestamp, bindings)
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
    throw new Refusal('the timestamp is missing')
  return readTime(String(value))
}

/** Returns null if the value is missing, or cannot be had from what was sent. */
function valueOr(resolve: (bindings: Bindings) => unknown, bindings: Bindings): unknown {
  try {
    const value = resolve(bindings)
    return value === MISSING ? null : value
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
}
