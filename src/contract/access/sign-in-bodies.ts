// The bodies of sessions, second factors and linked accounts.
import Type from 'typebox'
import { GivenPassword, Role } from '../access-bodies.ts'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])
const OptionalText = Type.Union([Type.String(), Type.Null()])

export const OwnSessionBody = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session that asks' }),
  device: OptionalText,
  address: OptionalText,
  provider: Type.Union([Type.String(), Type.Null()], {
    description: 'The provider of single sign-on; null: a password was used',
  }),
  createdAt: Time,
  lastUsedAt: Time,
  expiresAt: Time,
})
export const EndedSessionsBody = Type.Object({ ended: Type.Integer() })

export const TwoFactorBody = Type.Object({
  available: Type.Boolean({ description: 'false: you sign in by single sign-on' }),
  enabledAt: OptionalTime,
  recoveryCodesLeft: Type.Integer(),
  required: Type.Boolean({ description: 'Whether your role needs it' }),
})
export const PasswordRequest = Type.Object({ password: GivenPassword }, closed)
export const TwoFactorSecretBody = Type.Object({
  secret: Type.String({ description: 'For the app, in base32' }),
  url: Type.String({ description: 'The content of the QR code' }),
})
export const TwoFactorCodeRequest = Type.Object({ code: Type.String({ maxLength: 64 }) }, closed)
export const RecoveryCodesBody = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: 'Shown this once; each works once' }),
})
export const TwoFactorRuleBody = Type.Object({ roles: Type.Array(Role) })
export const TwoFactorRuleRequest = Type.Object({ roles: Type.Array(Role, { maxItems: 100 }) }, closed)

export const IdentityBody = Type.Object({
  id: Type.String(),
  provider: OptionalText,
  email: OptionalText,
  createdAt: Time,
  lastUsedAt: OptionalTime,
})
export const ProviderUrlBody = Type.Object({ url: Type.String({ description: 'Where the browser has to go' }) })
/** What a provider sends by itself, as a form. */
export const LogoutForm = Type.Object({ logout_token: Type.String({ maxLength: 16_000 }) })
