// Signs the requests whose credentials depend on what is sent: by Digest, and by AWS Signature Version 4.
import { createHash, randomBytes } from 'node:crypto'
import type {
  AwsCredential,
  DigestChallenge,
  DigestCredential,
  KnownChallenge,
} from '../../../engine/ports/connections.ts'
import {
  isBodySource,
  type OutboundBody,
  type OutboundHeader,
  type OutboundHop,
  type OutboundReply,
} from '../../../engine/ports/http-client.ts'
import { formPairs, percentDecoded } from '../../../flow/form-pairs.ts'
import { signAws } from './aws-signature.ts'
import { answerChallenge, chooseChallenge, hashOf, nextNonce } from './digest.ts'

export interface Signer {
  /** Reads the body once, if its hash is signed. Called before each time that the request is sent. */
  prepare(origin: string, body: OutboundBody): Promise<void>
  /** Returns the headers of the hop with those of the signature, in place of any that the step has. */
  sign(hop: OutboundHop): OutboundHeader[]
  /** Learns from a reply of the origin. Returns whether the same request, sent again, may be accepted. */
  learn(origin: string, reply: OutboundReply): boolean
  /** Whether the first request can only be refused, so that a large body is better sent with the second. */
  asksFirst(origin: string): boolean
  /** What the sent signatures are made of: nobody may see it. */
  readonly proofs: readonly string[]
}

/** `connection`: the one that the credential is of, whose hosts count. */
export const signerOf = (credential: DigestCredential | AwsCredential, connection: string): Signer =>
  credential.kind === 'aws' ? new AwsSigner(credential, connection) : new DigestSigner(credential, connection)

/** The origins whose challenges are remembered, for each connection. */
const MOST_ORIGINS = 50
/** A nonce may have become old a second time while the request was on its way. */
const MOST_ANSWERS = 2

export class DigestSigner implements Signer {
  readonly proofs: string[] = []
  readonly #credential: DigestCredential
  readonly #connection: string
  #body: { of: OutboundBody; algorithm: string; hash: string } | null = null
  /**
   * The challenge that this request got. Others use it only after this request was accepted: a server that counts strictly would
   * refuse the one that arrives second if it was signed first.
   */
  #own: KnownChallenge | null = null
  #learned = 0

  constructor(credential: DigestCredential, connection: string) {
    this.#credential = credential
    this.#connection = connection
  }

  asksFirst(origin: string): boolean {
    return !this.#credential.challenges.has(origin)
  }

  async prepare(origin: string, body: OutboundBody): Promise<void> {
    const challenge = this.#known(origin)?.challenge
    if (challenge?.qop !== 'auth-int') return
    const algorithm = hashOf(challenge)
    this.#body = { of: body, algorithm, hash: await bodyHash(body, algorithm) }
  }

  sign({ url, method, headers, body }: OutboundHop): OutboundHeader[] {
    const others = headers.filter(({ name }) => name.toLowerCase() !== 'authorization')
    const known = this.#known(url.origin)
    if (!known) return others
    const { challenge } = known
    const request = { method, target: url.pathname + url.search, bodyHash: this.#hashOf(body, challenge) }
    const clientNonce = randomBytes(16).toString('hex')
    const { value, proof } = answerChallenge(this.#credential, challenge, request, ++known.uses, clientNonce)
    this.proofs.push(proof)
    return [...others, { name: 'Authorization', value, credential: true, named: [this.#connection] }]
  }

  learn(origin: string, { status, headers }: OutboundReply): boolean {
    if (status !== 401) {
      const known = this.#known(origin)
      const next = nextNonce(headers['authentication-info'] ?? '')
      if (known && next !== null) this.#remember(origin, { challenge: { ...known.challenge, nonce: next }, uses: 0 })
      else if (this.#own) this.#remember(origin, this.#own)
      return false
    }
    const challenge = chooseChallenge(headers['www-authenticate'] ?? '')
    // The answer to a challenge of this very request was refused: the password is wrong, unless only the nonce was old.
    if (!challenge || (this.#own && !challenge.stale) || this.#learned === MOST_ANSWERS) return false
    this.#learned++
    this.#own = { challenge, uses: 0 }
    return true
  }

  #known(origin: string): KnownChallenge | undefined {
    return this.#own ?? this.#credential.challenges.get(origin)
  }

  #remember(origin: string, known: KnownChallenge): void {
    const { challenges } = this.#credential
    challenges.delete(origin)
    if (challenges.size >= MOST_ORIGINS) challenges.delete(challenges.keys().next().value!)
    challenges.set(origin, known)
  }

  /** A redirect may have taken the body away; then the hash is that of nothing. */
  #hashOf(body: OutboundBody, challenge: DigestChallenge): string {
    if (challenge.qop !== 'auth-int') return ''
    const algorithm = hashOf(challenge)
    if (this.#body?.of === body && this.#body.algorithm === algorithm) return this.#body.hash
    return createHash(algorithm).digest('hex')
  }
}

/** Their names begin with this, or they are one of these; proxies change none of them. */
const SIGNED_PREFIX = 'x-amz-'
const SIGNED = ['content-type', 'content-md5']
const OWN = ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256']

export class AwsSigner implements Signer {
  readonly proofs: string[] = []
  readonly #credential: AwsCredential
  readonly #connection: string
  readonly #now: () => number
  #body: { of: OutboundBody; hash: string } | null = null

  constructor(credential: AwsCredential, connection: string, now: () => number = Date.now) {
    this.#credential = credential
    this.#connection = connection
    this.#now = now
  }

  asksFirst(): boolean {
    return false
  }

  learn(): boolean {
    return false
  }

  /** S3 takes large files without their hash; other services want it. */
  async prepare(_origin: string, body: OutboundBody): Promise<void> {
    const unsigned = this.#isS3 && isBodySource(body)
    this.#body = { of: body, hash: unsigned ? 'UNSIGNED-PAYLOAD' : await bodyHash(body, 'sha256') }
  }

  sign({ url, method, headers, body }: OutboundHop): OutboundHeader[] {
    const { sessionToken } = this.#credential
    const date = new Date(this.#now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const hash = this.#body?.of === body ? this.#body.hash : createHash('sha256').digest('hex')
    const own = (name: string, value: string): OutboundHeader => ({
      name,
      value,
      credential: true,
      named: [this.#connection],
    })
    const sent = [
      ...headers.filter(({ name }) => !OWN.includes(name.toLowerCase())),
      own('X-Amz-Date', date),
      ...(sessionToken ? [own('X-Amz-Security-Token', sessionToken)] : []),
      ...(this.#isS3 ? [own('X-Amz-Content-Sha256', hash)] : []),
    ]
    const isSigned = (name: string) => name.startsWith(SIGNED_PREFIX) || SIGNED.includes(name)
    const signed = [{ name: 'host', value: url.host }, ...sent.filter(({ name }) => isSigned(name.toLowerCase()))]
    // S3 escapes the name of an object once; the others escape once more what they get.
    const path = this.#isS3 ? percentDecoded(url.pathname) : url.pathname.replaceAll(/\/{2,}/g, '/')
    const request = { method, path, query: formPairs(url.search.slice(1)), headers: signed, bodyHash: hash }
    const { value, signature } = signAws(this.#credential, request, date)
    this.proofs.push(signature)
    return [...sent, own('Authorization', value)]
  }

  get #isS3(): boolean {
    return /^s3(?:$|-|express$)/.test(this.#credential.service)
  }
}

async function bodyHash(body: OutboundBody, algorithm: string): Promise<string> {
  const hash = createHash(algorithm)
  if (body !== null && isBodySource(body)) for await (const chunk of body.open()) hash.update(chunk)
  else if (body !== null) hash.update(body)
  return hash.digest('hex')
}
