import type { EventServices } from '../events/services.ts'
import type { InvitationStore, Passwords, RoleStore, SessionStore, UserStore } from '../ports/access.ts'
import type { OneTimeCodes, SecondFactorStore } from '../ports/sign-in/second-factors.ts'
import type { ApiTokens } from './api-tokens.ts'
import type { KnownDevices } from './known-devices.ts'
import type { SetUpCode } from './set-up-code.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'
import type { SingleSignOn } from './single-sign-on/services.ts'
import type { SecondFactorRule } from './two-factor/second-factor-rule.ts'

/** The services that decide who gets access. */
export interface Access {
  users: UserStore
  roles: RoleStore
  sessions: SessionStore
  invitations: InvitationStore
  tokens: ApiTokens
  passwords: Passwords
  setUp: SetUpCode
  devices: KnownDevices
  attempts: SignInAttempts
  sso: SingleSignOn
  twoFactor: { store: SecondFactorStore; codes: OneTimeCodes; rule: SecondFactorRule }
}

export interface AccessServices extends EventServices {
  access: Access
}
