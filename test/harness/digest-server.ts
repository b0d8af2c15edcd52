// A server that demands Digest authentication and checks all of it, written from RFC 7616 and not from Millrace's own code.
import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Received, startUpstream, type Upstream } from './upstream.ts'

export interface DigestHabits {
  algorithm: string | null
  qop: string | null
  userhash: boolean
  /** How often a nonce can be used, in rising order of its count. */
  usesPerNonce: number
  /** Whether a reply names the nonce for the next request. */
  namesNext: boolean
  /** Other challenges that are sent beside it. */
  beside: string[]
}

export interface DigestServer extends Upstream {
  habits: DigestHabits
  /** Forgets every nonce, as a restart does. */
  forget(): void
  /** What was wrong with each refused answer. */
  faults: string[]
}

export const defaults = (): DigestHabits => ({
  algorithm: 'SHA-256',
  qop: 'auth',
  userhash: false,
  usesPerNonce: 1000,
  namesNext: false,
  beside: [],
})

const REALM = 'the "vault" \\ of all'
const OPAQUE = 'b3BhcXVl'
const NODE_NAMES: Record<string, string> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' }

/** `answer`: what an accepted request gets. */
export async function startDigestServer(
  username: string,
  password: string,
  answer: (request: Received, response: ServerResponse) => void,
): Promise<DigestServer> {
  const nonces = new Map<string, number>()
  const faults: string[] = []
  const upstream = await startUpstream((request, response) => {
    const { algorithm, qop, userhash, namesNext, beside } = server.habits
    const problem = faultOf(request)
    if (problem === null) {
      const next = namesNext ? { 'authentication-info': `nextnonce="${newNonce()}", qop=auth` } : {}
      for (const [name, value] of Object.entries(next)) response.setHeader(name, value)
      answer(request, response)
      return
    }
    if (request.headers.authorization !== undefined) faults.push(problem)
    const parameters = [
      `realm="${REALM.replaceAll(/["\\]/g, '\\$&')}"`,
      `nonce="${newNonce()}"`,
      `opaque="${OPAQUE}"`,
      ...(algorithm ? [`algorithm=${algorithm}`] : []),
      ...(qop ? [`qop="${qop}"`] : []),
      ...(userhash ? ['userhash=true'] : []),
      ...(problem === 'stale' ? ['stale=true'] : []),
    ]
    response.writeHead(401, { 'www-authenticate': [...beside, `Digest ${parameters.join(', ')}`] })
    response.end('Prove it.')
  })
  const newNonce = (): string => {
    const nonce = randomBytes(18).toString('base64')
    nonces.set(nonce, 0)
    return nonce
  }

  function faultOf({ method, url, headers, body }: Received): string | null {
    const { algorithm, qop, userhash, usesPerNonce } = server.habits
    if (!headers.authorization?.startsWith('Digest ')) return 'no answer'
    const given = new Map(
      [...headers.authorization.slice(7).matchAll(/([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))(?:, |$)/g)].map(
        ([, name, quoted, plain]) => [name!, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain!],
      ),
    )
    const hash = (...parts: string[]) =>
      createHash(NODE_NAMES[(algorithm ?? 'MD5').replace('-sess', '')]!)
        .update(parts.join(':'))
        .digest('hex')
    const expected = new Map<string, string | undefined>([
      ['realm', REALM],
      ['opaque', OPAQUE],
      ['uri', url],
      ['algorithm', algorithm ?? undefined],
      ['qop', qop?.split(/, ?/).includes('auth') ? 'auth' : (qop ?? undefined)],
      ['username', userhash ? hash(username, REALM) : username],
    ])
    for (const [name, value] of expected) if (given.get(name) !== value) return `wrong ${name}`
    const [nonce = '', nc = '00000001', cnonce = ''] = ['nonce', 'nc', 'cnonce'].map((name) => given.get(name))
    const ofUser = hash(username, REALM, password)
    const first = algorithm?.endsWith('-sess') ? hash(ofUser, nonce, cnonce) : ofUser
    const used = expected.get('qop')
    const second = used === 'auth-int' ? hash(method, url, hash(body)) : hash(method, url)
    const response = used ? hash(first, nonce, nc, cnonce, used, second) : hash(first, nonce, second)
    if (given.get('response') !== response) return 'wrong response'
    const uses = nonces.get(nonce)
    if (uses === undefined) return 'stale'
    if (Number.parseInt(nc, 16) <= uses && used) return 'a count that is not new'
    if (Number.parseInt(nc, 16) > usesPerNonce) return 'stale'
    nonces.set(nonce, Number.parseInt(nc, 16))
    return null
  }

  const server: DigestServer = { ...upstream, habits: defaults(), forget: () => nonces.clear(), faults }
  return server
}
