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
  genericTokenEndpointRequest,
  None,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
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
import { sendToServer } from './send-to-server.ts'
import { signClaims } from './sign-claims.ts'
import { tokenReply } from './token-reply.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Far more than is shown in the end: the text is cut after secrets are masked, not through the middle of one. */
const LONGEST_MESSAGE = 10_000

export function createOAuthClient(http: HttpClient): OAuthClient {
  const optionsFor = (standing: Standing | null) => ({
    // The egress rules decide which protocols are allowed.
    [allowInsecureRequests]: true,
    [customFetch]: async (
      url: string,
      { method, headers, body }: { method: string; headers: object; body?: unknown },
    ) => tokenReply(answered(await sendToServer(http, url, method, headers, String(body), standing))),
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

    async jwtBearer(settings, standing) {
      const { token, expiresInMs } = await signClaims(settings)
      const { tokenUrl } = settings
      if (tokenUrl === null) return { accessToken: token, refreshToken: null, expiresInMs }
      const granted = tokens(async () => {
        const server = serverOf(tokenUrl)
        const options = optionsFor(standing)
        const asked = { assertion: token }
        const response = await genericTokenEndpointRequest(server, NO_CLIENT, unnamed, JWT_BEARER, asked, options)
        return processGenericTokenEndpointResponse(server, NO_CLIENT, response)
      })
      return granted.catch((error) => {
        // A server that quotes the assertion must not make it known: it is good for some minutes.
        if (error instanceof TokenRefused) error.message = error.message.replaceAll(token, '***')
        throw error
      })
    },
  }
}

/** The assertion alone says who asks (RFC 7523, section 2.1). */
const unnamed: ClientAuth = () => {}
const NO_CLIENT: Client = { client_id: 'none' }

/** The library wants an issuer; without discovery nothing is ever compared with it. */
const serverOf = (tokenUrl: string): AuthorizationServer => ({
  issuer: new URL(tokenUrl).origin,
  token_endpoint: tokenUrl,
})

function partiesOf({ tokenUrl, clientId, clientSecret, clientAuth }: OAuthSettings) {
  const server = serverOf(tokenUrl)
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
