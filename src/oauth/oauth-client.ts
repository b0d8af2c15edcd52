// OAuth 2.0 by oauth4webapi, through the guarded HTTP client: egress rules also apply to authorization servers.
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clientCredentialsGrantRequest,
  customFetch,
  generateRandomCodeVerifier,
  None,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import { CODE } from '../base/error-catalogue.ts'
import { type HttpClient, OutboundError, type OutboundReply, type Standing } from '../engine/ports/http-client.ts'
import {
  type OAuthClient,
  type OAuthSettings,
  TokenRefused,
  type TokenSet,
  TokenUnavailable,
} from '../operations/ports/oauth-client.ts'
import { tokenReply } from './token-reply.ts'

const TIMEOUT_MS = 15_000
/** Far more than is shown in the end: the text is cut after secrets are masked, not through the middle of one. */
const LONGEST_MESSAGE = 10_000

export function createOAuthClient(http: HttpClient): OAuthClient {
  const optionsFor = (standing: Standing | null) => ({
    // The egress rules decide which protocols are allowed.
    [allowInsecureRequests]: true,
    [customFetch]: async (
      url: string,
      { method, headers, body }: { method: string; headers: object; body?: unknown },
    ) => tokenReply(answered(await post(http, url, method, headers, String(body), standing))),
  })

  return {
    async begin(settings, redirectUri, state) {
      const verifier = generateRandomCodeVerifier()
      const url = new URL(settings.authorizationUrl!)
      url.hash = ''
      const parameters = {
        response_type: 'code',
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        ...asked(settings),
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url: url.href, verifier }
    },

    exchange: (settings, redirectUri, code, verifier) =>
      tokens(async () => {
        const { server, client, auth } = partiesOf(settings)
        // The state was checked where it is kept.
        const parameters = validateAuthResponse(server, client, new URLSearchParams({ code }))
        const response = await authorizationCodeGrantRequest(
          server,
          client,
          auth,
          parameters,
          redirectUri,
          verifier,
          optionsFor(null),
        )
        return processAuthorizationCodeResponse(server, client, response)
      }),

    refresh: (settings, refreshToken, standing) =>
      tokens(async () => {
        const { server, client, auth } = partiesOf(settings)
        const response = await refreshTokenGrantRequest(server, client, auth, refreshToken, optionsFor(standing))
        return processRefreshTokenResponse(server, client, response)
      }),

    clientCredentials: (settings, standing) =>
      tokens(async () => {
        const { server, client, auth } = partiesOf(settings)
        const options = optionsFor(standing)
        const response = await clientCredentialsGrantRequest(server, client, auth, asked(settings), options)
        return processClientCredentialsResponse(server, client, response)
      }),
  }
}

function partiesOf({ tokenUrl, clientId, clientSecret, clientAuth }: OAuthSettings) {
  // The library wants an issuer; without discovery nothing is ever compared with it.
  const server: AuthorizationServer = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }
  const client: Client = { client_id: clientId }
  const auth =
    clientSecret === null ? None() : clientAuth === 'body' ? ClientSecretPost(clientSecret) : basic(clientSecret)
  return { server, client, auth }
}

/**
 * The library also escapes what needs no escaping, such as the hyphen. Both are right (RFC 6749 §2.3.1), but many servers
 * undo nothing, and for most secrets this form is then the same.
 */
const basic =
  (clientSecret: string): ClientAuth =>
  (_server, client, _body, headers) => {
    const encoded = [client.client_id, clientSecret].map((text) =>
      new URLSearchParams([['', text]]).toString().slice(1),
    )
    headers.set('authorization', `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`)
  }

const asked = ({ scopes, audience }: OAuthSettings): Record<string, string> => ({
  ...(scopes && { scope: scopes }),
  ...(audience && { audience }),
})

async function post(
  http: HttpClient,
  url: string,
  method: string,
  headers: object,
  body: string,
  standing: Standing | null,
): Promise<OutboundReply> {
  return http.send({
    method,
    url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value: String(value), credential: true })),
    body,
    timeoutMs: TIMEOUT_MS,
    // A redirect would send the client secret elsewhere.
    followRedirects: false,
    hops: 0,
    signal: null,
    standing,
  })
}

/** Only what the server itself has to say about the request. */
function answered(reply: OutboundReply): OutboundReply {
  const { status, url, headers } = reply
  if (status >= 500 || status === 429 || status === 408) {
    const seconds = Number(headers['retry-after'])
    throw new TokenUnavailable(`${new URL(url).host} replied ${status}`, Number.isFinite(seconds) ? seconds * 1000 : 0)
  }
  if (status >= 300 && status < 400)
    throw new TokenRefused('invalid_request', `${new URL(url).host} redirects (${status}): check the token URL`)
  return reply
}

async function tokens(ask: () => Promise<TokenEndpointResponse>): Promise<TokenSet> {
  let reply: TokenEndpointResponse
  try {
    reply = await ask()
  } catch (error) {
    throw explained(error)
  }
  const { access_token, refresh_token, expires_in } = reply
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    expiresInMs: expires_in === undefined ? null : expires_in * 1000,
  }
}

function explained(error: unknown): Error {
  if (error instanceof TokenRefused || error instanceof TokenUnavailable) return error
  if (error instanceof ResponseBodyError) {
    const description = error.error_description ? `: ${error.error_description}` : ''
    return new TokenRefused(error.error, (error.error + description).slice(0, LONGEST_MESSAGE))
  }
  if (error instanceof OutboundError)
    return error.code === CODE.blocked_address || error.code === CODE.invalid_url
      ? new TokenRefused(error.code, `${error.message}. ${error.hint}`)
      : new TokenUnavailable(`${error.message} (${error.code})`)
  // The library's messages speak of the form of the reply, and quote nothing of it.
  return new TokenRefused('invalid_response', `the reply is not one of a token endpoint (${(error as Error).message})`)
}
