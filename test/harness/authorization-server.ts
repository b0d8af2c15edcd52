// A real authorization server, and a visitor with a browser who logs in and agrees.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface AuthorizationServer {
  /** Returns the fields of a connection to the server. */
  fields(grant: 'authorization_code' | 'client_credentials'): Record<string, unknown>
  /** Returns whether the server issued this token and it is still valid. */
  isGood(accessToken: string): Promise<boolean>
  /** Withdraws the user's consent. */
  revokeAll(): Promise<void>
  /** The grants of the tokens that its token endpoint has issued. */
  granted: string[]
  close(): Promise<void>
}

export interface ServerOptions {
  redirectUri: string
  accessTokenSeconds: number
}

const SECRET = 'cl1ent-secret:of/the+app'

export async function startAuthorizationServer(options: ServerOptions): Promise<AuthorizationServer> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'code-client',
        client_secret: SECRET,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [options.redirectUri],
      },
      {
        client_id: 'machine-client',
        client_secret: SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'test' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: true } },
    scopes: ['openid', 'offline_access', 'orders'],
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: options.accessTokenSeconds,
      ClientCredentials: options.accessTokenSeconds,
      RefreshToken: 3600,
      AuthorizationCode: 60,
      IdToken: 60,
      Grant: 3600,
      Interaction: 3600,
      Session: 3600,
    },
  })
  const granted: string[] = []
  const refreshTokens = new Set<string>()
  provider.on('grant.success', (context) => {
    const { oidc, body } = context as { oidc: { params: { grant_type: string } }; body: { refresh_token?: string } }
    granted.push(oidc.params.grant_type)
    if (body.refresh_token) refreshTokens.add(body.refresh_token)
  })
  server.on('request', provider.callback())
  return {
    granted,
    fields: (grant) => ({
      grant,
      tokenUrl: `${issuer}/token`,
      clientSecret: SECRET,
      ...(grant === 'authorization_code'
        ? { clientId: 'code-client', authorizationUrl: `${issuer}/auth`, scopes: ['openid', 'offline_access'] }
        : { clientId: 'machine-client', scopes: 'orders' }),
    }),
    async isGood(token) {
      const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token))
      return found?.isValid === true
    },
    async revokeAll() {
      for (const token of refreshTokens) await (await provider.RefreshToken.find(token))?.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** A browser without a display: keeps cookies, follows redirects, and agrees to every form, until it comes to `until`. */
export class Visitor {
  readonly #cookies = new Map<string, string>()
  readonly #headers: Record<string, string>

  /** `headers`: sent with every request. */
  constructor(headers: Record<string, string> = {}) {
    this.#headers = headers
  }

  /** Returns the Cookie header. */
  cookies(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ')
  }

  setCookies(from: Headers): void {
    for (const cookie of from.getSetCookie()) {
      const [pair] = cookie.split(';') as [string]
      const at = pair.indexOf('=')
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }

  async open(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...this.#headers, cookie: this.cookies() },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    this.setCookies(response.headers)
    return response
  }

  async consent(url: string, until: string, login = 'ada'): Promise<string> {
    let response = await this.open(url)
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get('location')
      if (location) {
        const target = new URL(location, response.url).href
        if (target.startsWith(until)) return target
        response = await this.open(target)
        continue
      }
      const page = await response.text()
      const action = /action="([^"]+)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (!action || !prompt) throw new Error(`neither a form nor a redirect: ${response.status} ${page.slice(0, 500)}`)
      response = await this.open(new URL(action, response.url).href, { prompt, login, password: 'any' })
    }
    throw new Error('the pages lead nowhere')
  }
}
