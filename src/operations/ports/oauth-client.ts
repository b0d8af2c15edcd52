// The port to the authorization servers of OAuth connections.
import type { Standing } from '../../engine/ports/http-client.ts'

export interface OAuthSettings {
  authorizationUrl: string | null
  tokenUrl: string
  clientId: string
  /** null for a public client. */
  clientSecret: string | null
  /** The place of the client secret: a header, or the body. */
  clientAuth: 'basic' | 'body'
  /** The scopes, separated by spaces. */
  scopes: string | null
  audience: string | null
}

/** A key that signs claims, which are exchanged for an access token, or sent as one. */
export interface JwtSettings {
  /** null: the signed claims are the access token. */
  tokenUrl: string | null
  /** In PEM. */
  privateKey: string
  algorithm: string
  keyId: string | null
  claims: Readonly<Record<string, unknown>>
}

export interface TokenSet {
  accessToken: string
  refreshToken: string | null
  /** null if the server does not say. */
  expiresInMs: number | null
}

/** The most characters that are quoted from an authorization server's answer. */
export const LONGEST_QUOTE = 300

/** Says that the server refused. `error` is the code of RFC 6749, such as invalid_grant. */
export class TokenRefused extends Error {
  readonly error: string
  constructor(error: string, message: string) {
    super(message)
    this.error = error
  }
}

/** The code of a private key that cannot sign, which no server refused. */
export const UNUSABLE_KEY = 'unusable_key'

/** Says that there was no usable answer. A later attempt may succeed. */
export class TokenUnavailable extends Error {
  /** The delay that the server asks for with Retry-After. */
  readonly retryAfterMs: number
  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Asks for tokens. Each such call rejects with TokenRefused or TokenUnavailable only. */
export interface OAuthClient {
  /** Returns the URL for the browser, and the PKCE verifier, which later proves that this service sent it there. */
  begin(settings: OAuthSettings, redirectUri: string, state: string): Promise<{ url: string; verifier: string }>
  exchange(settings: OAuthSettings, redirectUri: string, code: string, verifier: string): Promise<TokenSet>
  refresh(settings: OAuthSettings, refreshToken: string, standing: Standing | null): Promise<TokenSet>
  clientCredentials(settings: OAuthSettings, standing: Standing | null): Promise<TokenSet>
  jwtBearer(settings: JwtSettings, standing: Standing | null): Promise<TokenSet>
}
