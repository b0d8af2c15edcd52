// What decides who comes in; built once, in app.ts.
import type { InvitationStore, Passwords, SessionStore, UserStore } from '../ports/access.ts'
import type { ApiTokens } from './api-tokens.ts'
import type { KnownDevices } from './known-devices.ts'
import type { SetUp } from './set-up.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'

export interface AccessServices {
  users: UserStore
  sessions: SessionStore
  invitations: InvitationStore
  tokens: ApiTokens
  passwords: Passwords
  setUp: SetUp
  devices: KnownDevices
  attempts: SignInAttempts
}
