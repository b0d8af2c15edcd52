// The port to the authorization servers of OAuth connections.
import type { Standing } from '../../engine/ports/http-client.ts'

export interface OAuthSettings {
  authorizationUrl: string | null
  tokenUrl: string
  clientId: string
  /** null: a public client. */
  clientSecret: string | null
  /** Where the client's secret goes: into a header, or into the body. */
  clientAuth: 'basic' | 'body'
  /** Separated by spaces. */
  scopes: string | null
  audience: string | null
}

export interface TokenSet {
  accessToken: string
  refreshToken: string | null
  /** null: the server does not say. */
  expiresInMs: number | null
}

/** Of what an authorization server says, so much is shown. */
export const LONGEST_QUOTE = 300

/** The answer is no; `error` is the code of RFC 6749, such as invalid_grant. */
export class TokenRefused extends Error {
  readonly error: string
  constructor(error: string, message: string) {
    super(message)
    this.error = error
  }
}

/** There was no usable answer; another time there may be. */
export class TokenUnavailable extends Error {
  /** The other side's wish, from Retry-After. */
  readonly retryAfterMs: number
  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Each call that asks for tokens rejects with TokenRefused or TokenUnavailable only. */
export interface OAuthClient {
  /** Where the browser has to go, and what proves at the end that it was us who sent it there (PKCE). */
  begin(settings: OAuthSettings, redirectUri: string, state: string): Promise<{ url: string; verifier: string }>
  exchange(settings: OAuthSettings, redirectUri: string, code: string, verifier: string): Promise<TokenSet>
  refresh(settings: OAuthSettings, refreshToken: string, standing: Standing | null): Promise<TokenSet>
  clientCredentials(settings: OAuthSettings, standing: Standing | null): Promise<TokenSet>
}
