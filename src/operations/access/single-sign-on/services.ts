import type { Sealing } from '../../ports/secrets.ts'
import type { IdentityStore, LogoutTokens } from '../../ports/sign-in/identities.ts'
import type { OidcClient, OidcProvider } from '../../ports/sign-in/oidc-client.ts'

/** The services of single sign-on. */
export interface SingleSignOn {
  providers: readonly OidcProvider[]
  /** Whether passwords are for break-glass owners only. */
  only: boolean
  client: OidcClient
  identities: IdentityStore
  logoutTokens: LogoutTokens
  /** Seals what the browser keeps while it is at the provider. */
  sealing: Sealing
}
