// Digest access authentication (RFC 7616, and RFC 2617 and 2069 before it): which challenge to answer, and how.
import { createHash } from 'node:crypto'
import type { DigestChallenge, DigestCredential } from '../../../engine/ports/connections.ts'
import { type Challenge, parseChallenges, parseParameters } from './challenges.ts'

/** The hashes by the names that servers use, the strongest first. */
const HASHES = new Map([
  ['sha-512-256', 'sha512-256'],
  ['sha-256', 'sha256'],
  ['md5', 'md5'],
])
const STRENGTHS = [...HASHES.keys()]
const LONGEST_VALUE = 4096
/** What can be sent back in a header. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/

const isSendable = (value: string): boolean => value.length <= LONGEST_VALUE && SENDABLE.test(value)

const familyOf = ({ algorithm }: DigestChallenge): string => (algorithm ?? 'md5').toLowerCase().replace(/-sess$/, '')

/** Returns the name of the hash, for node:crypto. */
export const hashOf = (challenge: DigestChallenge): string => HASHES.get(familyOf(challenge))!

/** Returns the strongest challenge that can be answered; null if there is none. */
export function chooseChallenge(header: string): DigestChallenge | null {
  const usable = parseChallenges(header).flatMap((one) => digestOf(one) ?? [])
  const strength = (challenge: DigestChallenge) => STRENGTHS.indexOf(familyOf(challenge))
  return usable.toSorted((a, b) => strength(a) - strength(b))[0] ?? null
}

/** Returns what to do about a challenge that cannot be answered; null if it can be: then the password is wrong. */
export function unansweredHint(header: string): string | null {
  if (chooseChallenge(header)) return null
  const schemes = new Set(parseChallenges(header).map(({ scheme }) => scheme))
  if (schemes.has('digest'))
    return 'The server asks for Digest with an algorithm or a quality of protection that Millrace does not know: it knows MD5, SHA-256 and SHA-512-256, with auth, auth-int or none.'
  return schemes.has('basic')
    ? 'The server asks for Basic, not for Digest: use a connection of the kind basic.'
    : 'The server does not ask for Digest: use a connection of another kind.'
}

function digestOf({ scheme, parameters }: Challenge): DigestChallenge | null {
  const [realm, nonce] = [parameters.get('realm'), parameters.get('nonce')]
  if (scheme !== 'digest' || realm === undefined || nonce === undefined) return null
  const offered =
    parameters
      .get('qop')
      ?.toLowerCase()
      .split(/[ \t,]+/) ?? null
  const qop = offered && (['auth', 'auth-int'] as const).find((one) => offered.includes(one))
  const challenge: DigestChallenge = {
    realm,
    nonce,
    opaque: parameters.get('opaque') ?? null,
    algorithm: parameters.get('algorithm') ?? null,
    qop: qop ?? null,
    userhash: isTrue(parameters.get('userhash')),
    stale: isTrue(parameters.get('stale')),
  }
  const values = [realm, nonce, challenge.opaque ?? '']
  return HASHES.has(familyOf(challenge)) && values.every(isSendable) && qop !== undefined ? challenge : null
}

/** Returns the nonce that Authentication-Info names for the next request; null if it names none. */
export function nextNonce(header: string): string | null {
  const nonce = parseParameters(header).get('nextnonce')
  return nonce !== undefined && isSendable(nonce) ? nonce : null
}

const isTrue = (value: string | undefined): boolean => value?.toLowerCase() === 'true'

export interface DigestRequest {
  method: string
  /** The path with its query, as it is sent. */
  target: string
  /** The hash of the body, for auth-int. */
  bodyHash: string
}

/** Returns the value of the Authorization header, and the part of it that proves the password. */
export function answerChallenge(
  { username, password }: Pick<DigestCredential, 'username' | 'password'>,
  challenge: DigestChallenge,
  { method, target, bodyHash }: DigestRequest,
  uses: number,
  clientNonce: string,
): { value: string; proof: string } {
  const { realm, nonce, opaque, algorithm, qop } = challenge
  const hash = hashOf(challenge)
  // Headers are bytes, one for each character: a realm in UTF-8 is hashed as it came.
  const hashed = (...parts: (string | Buffer)[]): string => {
    const made = createHash(hash)
    for (const [i, part] of parts.entries()) made.update(i === 0 ? '' : ':').update(part)
    return made.digest('hex')
  }
  const asSent = (text: string): Buffer => Buffer.from(text, 'latin1')
  const ofUser = hashed(username, asSent(realm), password)
  const inSession = /-sess$/i.test(algorithm ?? '')
  const first = inSession ? hashed(ofUser, asSent(nonce), clientNonce) : ofUser
  const second = qop === 'auth-int' ? hashed(method, target, bodyHash) : hashed(method, target)
  const count = uses.toString(16).padStart(8, '0')
  const proof = qop
    ? hashed(first, asSent(nonce), count, clientNonce, qop, second)
    : hashed(first, asSent(nonce), second)
  const parts = [
    userPart(username, challenge, () => hashed(username, asSent(realm))),
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(target)}`,
    ...(algorithm === null ? [] : [`algorithm=${algorithm}`]),
    `response="${proof}"`,
    ...(opaque === null ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop ? [`qop=${qop}`, `nc=${count}`] : []),
    ...(qop || inSession ? [`cnonce="${clientNonce}"`] : []),
    ...(challenge.userhash ? ['userhash=true'] : []),
  ]
  return { value: `Digest ${parts.join(', ')}`, proof }
}

/** RFC 7616, section 3.4.4: a name beyond ASCII is sent in the form of RFC 8187. */
function userPart(username: string, { userhash }: DigestChallenge, userHash: () => string): string {
  if (userhash) return `username="${userHash()}"`
  return /^[\x20-\x7e]*$/.test(username)
    ? `username=${quoted(username)}`
    : `username*=UTF-8''${encodeURIComponent(username).replaceAll(/['()*]/g, escaped)}`
}

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
