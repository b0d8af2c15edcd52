// An authorization server that deviates from the standard as real ones do; each deviation can be set while it runs.
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Received, startUpstream, type Upstream } from './upstream.ts'

export interface Habits {
  /** The life of access tokens, in seconds; null: the reply does not say. */
  expiresIn: number | null
  tokenType: string | null
  refreshTokens: 'rotating' | 'lasting' | 'none'
  /** Where the server expects the client's secret. */
  clientAuth: 'basic' | 'body'
  /** The server answers with a form instead of JSON. */
  asForm: boolean
  /** The answer in place of a token; null: a token. */
  failure: { status: number; body?: unknown } | null
  /** Called with each token request, before it is answered: a promise delays the answer. */
  before: (request: Received) => Promise<void> | void
}

export interface OddServer extends Upstream {
  habits: Habits
  fields(grant?: string): Record<string, unknown>
  /** The token requests that came. */
  asked: URLSearchParams[]
  accepts(accessToken: string): boolean
  /** Revokes all access tokens that exist now. */
  revokeAccess(): void
  /** Revokes all refresh tokens that exist now. */
  revokeGrants(): void
  /** The tokens that the server has issued, all of which are secret. */
  issued: string[]
}

export const ODD_CLIENT = { id: 'odd-client', secret: 'odd-cl1ent-s3cret' }

export async function startOddServer(habits: Partial<Habits> = {}): Promise<OddServer> {
  const asked: URLSearchParams[] = []
  const issued: string[] = []
  const codes = new Map<string, string>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  const issue = (kind: string): string => {
    const token = `${kind}-token-${issued.length}-${createHash('sha256').update(`${kind}${issued.length}`).digest('hex').slice(0, 12)}`
    issued.push(token)
    return token
  }

  const server: OddServer = {
    ...(await startUpstream((request, response) => {
      if (request.url.startsWith('/authorize')) authorize(request, response)
      else void answer(request, response)
    })),
    habits: {
      expiresIn: 3600,
      tokenType: 'Bearer',
      refreshTokens: 'rotating',
      clientAuth: 'basic',
      asForm: false,
      failure: null,
      before: () => {},
      ...habits,
    },
    asked,
    issued,
    fields: (grant = 'authorization_code') => ({
      grant,
      ...(grant === 'authorization_code' && { authorizationUrl: `${server.url}/authorize` }),
      tokenUrl: `${server.url}/token`,
      clientId: ODD_CLIENT.id,
      clientSecret: ODD_CLIENT.secret,
    }),
    accepts: (token) => access.has(token),
    revokeAccess: () => access.clear(),
    revokeGrants: () => refresh.clear(),
  }

  /** Agrees for every user. */
  function authorize({ url }: Received, response: ServerResponse): void {
    const query = new URL(url, server.url).searchParams
    const code = `code-${codes.size}`
    codes.set(code, query.get('code_challenge')!)
    const back = new URL(query.get('redirect_uri')!)
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state')!)
    response.writeHead(302, { location: back.href })
    response.end()
  }

  async function answer(request: Received, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(request.body)
    asked.push(form)
    await server.habits.before(request)
    const { failure, asForm } = server.habits
    const [status, body] = failure ? [failure.status, failure.body ?? {}] : tokens(request, form)
    const type = asForm ? 'application/x-www-form-urlencoded' : 'application/json'
    response.writeHead(status, { 'content-type': type, 'www-authenticate': 'Basic realm="odd"' })
    response.end(asForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body))
  }

  function tokens(request: Received, form: URLSearchParams): [number, object] {
    const { habits: now } = server
    const basic = `Basic ${Buffer.from(`${ODD_CLIENT.id}:${ODD_CLIENT.secret}`).toString('base64')}`
    const known =
      now.clientAuth === 'basic'
        ? request.headers.authorization === basic && !form.has('client_secret')
        : form.get('client_secret') === ODD_CLIENT.secret && request.headers.authorization === undefined
    if (!known) return [401, { error: 'invalid_client' }]
    const grant = form.get('grant_type')
    if (grant === 'authorization_code') {
      const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url')
      if (codes.get(form.get('code')!) !== challenge) return [400, { error: 'invalid_grant' }]
      codes.delete(form.get('code')!)
    }
    if (grant === 'refresh_token') {
      const given = form.get('refresh_token')!
      if (!refresh.has(given)) return [400, { error: 'invalid_grant', error_description: `unknown token ${given}` }]
      if (now.refreshTokens === 'rotating') refresh.delete(given)
    }
    const reply: Record<string, unknown> = { access_token: issue('access') }
    access.add(reply['access_token'] as string)
    const gives =
      now.refreshTokens === 'rotating' || (now.refreshTokens === 'lasting' && grant === 'authorization_code')
    if (gives && grant !== 'client_credentials') {
      reply['refresh_token'] = issue('refresh')
      refresh.add(reply['refresh_token'] as string)
    }
    if (now.tokenType !== null) reply['token_type'] = now.tokenType
    if (now.expiresIn !== null) reply['expires_in'] = now.expiresIn
    return [200, reply]
  }
  return server
}
