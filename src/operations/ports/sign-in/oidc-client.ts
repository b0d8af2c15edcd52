// The port to OpenID Connect: sends browsers to a provider, and checks what comes back.
import type { Login } from '../access.ts'

/** Which values of a claim give which role. */
export interface RoleRules {
  claim: string
  roles: readonly { value: string; role: string }[]
}

export interface OidcProvider {
  /** The number of the provider: "1" is that of MILLRACE_OIDC_ISSUER. */
  id: string
  name: string
  issuer: string
  clientId: string
  clientSecret: string | null
  roles: RoleRules | null
  /** The role of people whom no rule gives one; null: they are refused. */
  defaultRole: string | null
}

/** What a sign-in must come back with, besides its code. */
export interface Expected {
  state: string
  nonce: string
  verifier: string
}

export interface OidcPerson extends Login {
  /** The provider's session; null if it does not name sessions. */
  sid: string | null
  email: string | null
  /** false: the provider says that nobody has checked the address. */
  emailVerified: boolean | null
  name: string | null
  /** The values of the claim that gives roles. */
  groups: readonly string[]
}

export interface LogoutNotice {
  /** The id of the token, which is taken once. */
  tokenId: string
  /** In milliseconds. */
  expiresAt: number
  sid: string | null
  subject: string | null
}

/** Says why nobody is signed in or out, in words for the person. */
export class OidcRefused extends Error {}

export interface OidcClient {
  /** Rejects with OidcRefused if the provider cannot be asked. */
  begin(provider: OidcProvider, redirectUri: string): Promise<{ url: string; expected: Expected }>
  /** Checks everything about the answer. Rejects with OidcRefused. */
  finish(
    provider: OidcProvider,
    redirectUri: string,
    callback: URLSearchParams,
    expected: Expected,
  ): Promise<OidcPerson>
  /** Checks a logout token. Rejects with OidcRefused. */
  readLogout(provider: OidcProvider, token: string): Promise<LogoutNotice>
}
