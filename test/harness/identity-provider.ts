// A real provider of OpenID Connect, where anyone signs in with any password; and one that forges.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, importPKCS8, SignJWT, UnsecuredJWT } from 'jose'
import Provider from 'oidc-provider'

export const CLIENT = { id: 'millrace', secret: 'client-secret-of-millrace' }

export interface Person {
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

export interface IdentityProvider {
  issuer: string
  /** The accounts, by the name that people sign in with. */
  people: Map<string, Person>
  /** Signs with a new key from now on, and publishes no other. It forgets who is signed in. */
  changeKey(): void
  close(): Promise<void>
}

async function listening(): Promise<{ server: Server; issuer: string; close(): Promise<void> }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    server,
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** Starts oidc-provider for the Millrace at `baseUrl`. */
export async function startIdentityProvider(baseUrl: string, provider = '1'): Promise<IdentityProvider> {
  const { server, issuer, close } = await listening()
  const people = new Map<string, Person>()
  const withKey = (kid: string) =>
    new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          grant_types: ['authorization_code'],
          redirect_uris: [`${baseUrl}/api/auth/oidc/${provider}/callback`],
          backchannel_logout_uri: `${baseUrl}/api/auth/oidc/${provider}/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      jwks: { keys: [{ ...rsaKey().export({ format: 'jwk' }), use: 'sig', kid }] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      scopes: ['openid', 'email', 'profile', 'groups'],
      pkce: { required: () => true },
      // Its own way out, the dispatcher, refuses this machine, where Millrace is told of logouts.
      fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
        fetch(url, options),
      findAccount: async (_context: unknown, id: string) => ({
        accountId: id,
        claims: async () => ({ sub: id, ...people.get(id) }),
      }),
    } as never)
  let answer = withKey('first').callback()
  server.on('request', (request, response) => answer(request, response))
  const changeKey = () => {
    answer = withKey('next').callback()
  }
  return { issuer, people, changeKey, close }
}

/** What a forged answer has in place of the right one. */
export interface Forgery {
  claims?: Record<string, unknown>
  /** Claims that are left out. */
  without?: string[]
  /** `none`: not signed; `other key`: by a key that the provider does not have; `secret`: by the client's secret. */
  signature?: 'right' | 'none' | 'other key' | 'secret'
  /** Of the callback. */
  callback?: Record<string, string>
  withoutCallback?: string[]
}

export interface ForgingProvider {
  issuer: string
  forge(forgery: Forgery): void
  /** Returns the query of the callback for the URL that a browser was sent to. */
  answer(authorizationUrl: string): string
  /** Signs a token with the provider's key. */
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

/** Starts a small provider that answers rightly, but for what it was told to forge. */
export async function startForgingProvider(): Promise<ForgingProvider> {
  const { server, issuer, close } = await listening()
  const toKey = async (key: ReturnType<typeof rsaKey>) =>
    importPKCS8(key.export({ type: 'pkcs8', format: 'pem' }).toString(), 'RS256')
  const privateKey = rsaKey()
  const [own, other] = [await toKey(privateKey), await toKey(rsaKey())]
  const { n, e } = await exportJWK(privateKey)
  let forgery: Forgery = {}
  let nonce = ''

  const idToken = async (): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const claims: Record<string, unknown> = {
      iss: issuer,
      aud: CLIENT.id,
      sub: 'mallory',
      iat: now,
      exp: now + 60,
      nonce,
      email: 'mallory@example.com',
      ...forgery.claims,
    }
    for (const name of forgery.without ?? []) delete claims[name]
    if (forgery.signature === 'none') return new UnsecuredJWT(claims).encode()
    const token = new SignJWT(claims)
    if (forgery.signature === 'secret')
      return token.setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(CLIENT.secret.padEnd(32, '0')))
    return token.setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(forgery.signature === 'other key' ? other : own)
  }

  const reply = async (request: IncomingMessage): Promise<unknown> => {
    if (request.url === '/.well-known/openid-configuration')
      return {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
      }
    if (request.url === '/jwks') return { keys: [{ kty: 'RSA', n, e, kid: 'own', alg: 'RS256', use: 'sig' }] }
    return { access_token: 'an access token', token_type: 'bearer', id_token: await idToken() }
  }
  server.on('request', (request, response) => {
    void reply(request).then((body) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  return {
    issuer,
    forge: (told) => {
      forgery = told
    },
    answer(authorizationUrl) {
      const asked = new URL(authorizationUrl).searchParams
      nonce = asked.get('nonce')!
      const parameters = new URLSearchParams({
        code: 'a code',
        state: asked.get('state')!,
        iss: issuer,
        ...forgery.callback,
      })
      for (const name of forgery.withoutCallback ?? []) parameters.delete(name)
      return parameters.toString()
    },
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'own', ...header }).sign(own),
    close,
  }
}
