// OpenID Connect by oauth4webapi, and jose for signatures, through a guarded HTTP client of its own: what the operator names as
// an issuer may be on a private address, which opens nothing for flows.
import { errors, jwtVerify } from 'jose'
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  ResponseBodyError,
  userInfoRequest,
  validateAuthResponse,
} from 'oauth4webapi'
import { type HttpClient, OutboundError } from '../engine/ports/http-client.ts'
import {
  type Expected,
  type LogoutNotice,
  type OidcClient,
  type OidcPerson,
  type OidcProvider,
  OidcRefused,
} from '../operations/ports/sign-in/oidc-client.ts'
import { ProviderKeys } from './provider-keys.ts'
import { namedBy, readPerson } from './read-person.ts'
import { sendToServer } from './send-to-server.ts'

const DISCOVERED_FOR_MS = 3_600_000
const CLOCKS_APART_S = 60
/** Only keys that the provider alone has: neither "none" nor a secret that both have. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** A logout token is for now: one without an end is taken this long. */
const LOGOUT_MS = 600_000
const LONGEST_ID = 255

interface Discovered {
  server: AuthorizationServer
  keys: ProviderKeys
  until: number
}

export function createOidcClient(http: HttpClient): OidcClient {
  const known = new Map<string, Promise<Discovered>>()
  const options = {
    // The operator chooses the issuer, and the egress rules decide what is reached.
    [allowInsecureRequests]: true,
    [customFetch]: (url: string, { method, headers, body }: { method: string; headers: object; body?: unknown }) =>
      send(http, url, method, headers, body instanceof URLSearchParams ? body.toString() : null),
  }

  const discover = async (issuer: string): Promise<Discovered> => {
    const url = new URL(issuer)
    const server = await processDiscoveryResponse(url, await discoveryRequest(url, options))
    if (!server.jwks_uri) throw new OidcRefused('It names no keys (jwks_uri).')
    const { jwks_uri } = server
    const keys = new ProviderKeys(async () => (await send(http, jwks_uri, 'GET', {}, null)).json())
    return { server, keys, until: Date.now() + DISCOVERED_FOR_MS }
  }

  /** What a provider says of itself changes rarely, and is asked for again after an hour. */
  const discovered = async ({ id, name, issuer }: OidcProvider): Promise<Discovered> => {
    const before = await known.get(id)?.catch(() => null)
    if (before && before.until > Date.now()) return before
    const asked = discover(issuer)
    known.set(id, asked)
    return explained(asked, `${name} cannot be asked`)
  }

  return {
    async begin(provider, redirectUri) {
      const { server } = await discovered(provider)
      if (!server.authorization_endpoint) throw new OidcRefused(`${provider.name} names no page to sign in at.`)
      const expected: Expected = {
        state: generateRandomState(),
        nonce: generateRandomNonce(),
        verifier: generateRandomCodeVerifier(),
      }
      const url = new URL(server.authorization_endpoint)
      const parameters = {
        response_type: 'code',
        client_id: provider.clientId,
        redirect_uri: redirectUri,
        scope: scopesOf(provider, server),
        state: expected.state,
        nonce: expected.nonce,
        code_challenge: await calculatePKCECodeChallenge(expected.verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url: url.href, expected }
    },

    async finish(provider, redirectUri, callback, expected) {
      const { server, keys } = await discovered(provider)
      return explained(
        identify({ server, keys, provider, redirectUri, callback, expected }),
        `The answer of ${provider.name} was refused`,
      )
    },

    async readLogout(provider, token) {
      const { server, keys } = await discovered(provider)
      return explained(readLogout(server, keys, provider, token), 'The logout token was refused')
    },
  }

  async function identify(asked: {
    server: AuthorizationServer
    keys: ProviderKeys
    provider: OidcProvider
    redirectUri: string
    callback: URLSearchParams
    expected: Expected
  }): Promise<OidcPerson> {
    const { server, keys, provider, expected } = asked
    const client: Client = { client_id: provider.clientId, [clockTolerance]: CLOCKS_APART_S }
    // Also compares `iss` (RFC 9207), and wants it where the provider says that it sends it.
    const parameters = validateAuthResponse(server, client, asked.callback, expected.state)
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authOf(provider, server),
      parameters,
      asked.redirectUri,
      expected.verifier,
      options,
    )
    const tokens = await processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: expected.nonce,
      requireIdToken: true,
    })
    const claims = getValidatedIdTokenClaims(tokens)!
    await keys.verify((key) => jwtVerify(tokens.id_token!, key, checksOf(server, provider)))
    let all: Record<string, unknown> = claims
    // Many providers put only the subject into the ID token.
    if (server.userinfo_endpoint && !namedBy(claims, provider)) {
      const reply = await userInfoRequest(server, client, tokens.access_token, options)
      all = { ...(await processUserInfoResponse(server, client, claims.sub, reply)), ...claims }
    }
    return readPerson(all, { issuer: provider.issuer, subject: claims.sub }, provider)
  }
}

const checksOf = (server: AuthorizationServer, { clientId }: OidcProvider) => ({
  issuer: server.issuer,
  audience: clientId,
  algorithms: ALGORITHMS,
  clockTolerance: CLOCKS_APART_S,
})

/** By OpenID Connect Back-Channel Logout 1.0, section 2.6. */
async function readLogout(
  server: AuthorizationServer,
  keys: ProviderKeys,
  provider: OidcProvider,
  token: string,
): Promise<LogoutNotice> {
  const checks = { ...checksOf(server, provider), requiredClaims: ['iat', 'jti'], maxTokenAge: LOGOUT_MS / 1000 }
  const { payload, protectedHeader } = await keys.verify((key) => jwtVerify(token, key, checks))
  const { sub, sid, jti, iat, exp, events } = payload
  // An ID token must not end sessions, nor a logout token open one.
  if (protectedHeader.typ !== undefined && !/^(application\/)?(logout\+jwt|jwt)$/i.test(protectedHeader.typ))
    throw new OidcRefused('It has another type.')
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, LOGOUT_EVENT))
    throw new OidcRefused('It is no logout token.')
  if (Object.hasOwn(payload, 'nonce')) throw new OidcRefused('It has a nonce, which no logout token has.')
  for (const id of [sub, sid, jti])
    if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > LONGEST_ID))
      throw new OidcRefused('One of its ids is no text or is too long.')
  if (sub === undefined && sid === undefined) throw new OidcRefused('It names neither a session nor a person.')
  return {
    tokenId: jti!,
    expiresAt: Math.max((exp ?? 0) * 1000, iat! * 1000 + LOGOUT_MS) + CLOCKS_APART_S * 1000,
    sid: (sid as string | undefined) ?? null,
    subject: sub ?? null,
  }
}

/** A claim of groups often has a scope of the same name, which has to be asked for. */
function scopesOf({ roles }: OidcProvider, { scopes_supported = [] }: AuthorizationServer): string {
  const scopes = ['openid', 'email', 'profile']
  if (roles && scopes_supported.includes(roles.claim) && !scopes.includes(roles.claim)) scopes.push(roles.claim)
  return scopes.join(' ')
}

function authOf({ clientSecret }: OidcProvider, server: AuthorizationServer) {
  if (clientSecret === null) return None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const byBody = !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
  return byBody ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret)
}

async function send(
  http: HttpClient,
  url: string,
  method: string,
  headers: object,
  body: string | null,
): Promise<Response> {
  const reply = await sendToServer(http, url, method, headers, body)
  return new Response(Buffer.from(reply.body), {
    status: reply.status,
    headers: { 'content-type': reply.headers['content-type'] ?? '' },
  })
}

/** Rejects with OidcRefused, whatever goes wrong: a provider's fault is none of Millrace. */
async function explained<T>(work: Promise<T>, what: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new OidcRefused(`${what}: ${reasonOf(error)}`, { cause: error })
  }
}

const LONGEST_REASON = 300

function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `${error.error}${error.error_description ? ` (${error.error_description})` : ''}`.slice(0, LONGEST_REASON)
  if (error instanceof OutboundError) return `${error.message} (${error.code}).`
  // The messages of the libraries speak of the form of a token, and quote nothing of it.
  if (error instanceof errors.JOSEError || error instanceof Error) return error.message.slice(0, LONGEST_REASON)
  return 'the reason is not known'
}
