// The bodies of signing in, users, invitations and tokens.
import Type from 'typebox'
import { ROLE_NAME, SCOPES } from '../base/scopes.ts'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])
const OptionalText = Type.Union([Type.String(), Type.Null()])

export const Role = Type.String({
  pattern: ROLE_NAME,
  description: 'viewer, editor, owner, or a role that an owner made',
})
const ScopeUnion = Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('admin')])
const OptionalUnion = Type.Union([ScopeUnion, Type.Null()], {
  description: 'The name that stands for exactly these scopes',
})
const Scopes = Type.Array(Type.Enum([...SCOPES]))
const OptionalList = Type.Union([Type.Array(Type.String()), Type.Null()], {
  description: 'What it is limited to; null if it is not limited',
})
const GivenScopes = Type.Array(Type.Enum([...SCOPES]), {
  minItems: 1,
  maxItems: SCOPES.length,
})
const Email = Type.String({ maxLength: 254, pattern: '^\\s*[^\\s@]+@[^\\s@]+\\s*$' })
const Name = Type.String({ maxLength: 100, pattern: '\\S' })
const Code = Type.String({ minLength: 1, maxLength: 200 })
export const GivenPassword = Type.String({ maxLength: 256 })
const NewPassword = Type.String({ minLength: 10, maxLength: 256 })

const UserBody = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  scopes: Scopes,
})
const OptionalUser = Type.Union([UserBody, Type.Null()])

export const SignInStateBody = Type.Object({
  setup: Type.Boolean({ description: 'true until the first owner was made' }),
  user: OptionalUser,
  providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'The providers of single sign-on',
  }),
  passwords: Type.Boolean({ description: 'false: passwords are for break-glass owners only' }),
  twoFactorSetup: Type.Boolean({ description: 'true: the user has to set up a second factor before anything else' }),
})
export const SignedInBody = Type.Object({ user: UserBody })
export const SessionBody = Type.Union([
  Type.Object({ session: Type.Object({ expiresAt: Time }), user: UserBody }),
  Type.Null(),
])

export const SetUpRequest = Type.Object({ code: Code, email: Email, name: Name, password: NewPassword }, closed)
export const SignInRequest = Type.Object(
  {
    email: Type.String({ maxLength: 254 }),
    password: GivenPassword,
    code: Type.Optional(
      Type.String({ maxLength: 64, description: 'Of the second factor, if the user has one; or a recovery code' }),
    ),
  },
  closed,
)
export const ChangePasswordRequest = Type.Object({ currentPassword: GivenPassword, newPassword: NewPassword }, closed)
export const AcceptInvitationRequest = Type.Object(
  { code: Code, email: Email, name: Name, password: NewPassword },
  closed,
)
export const InvitationRequest = Type.Object({ code: Code }, closed)

export const MeBody = Type.Object({ name: Type.String(), scope: OptionalUnion, scopes: Scopes, user: OptionalUser })
export const ListedUserBody = Type.Object({
  ...UserBody.properties,
  createdAt: Time,
  lastSignInAt: OptionalTime,
  twoFactor: Type.Boolean({ description: 'Whether the user has a second factor' }),
  breakGlass: Type.Boolean({
    description: 'Whether the owner may use a password where only single sign-on is allowed',
  }),
})
export const RoleRequest = Type.Object({ role: Role }, closed)

export const InvitationBody = Type.Object({
  id: Type.String(),
  email: OptionalText,
  role: Role,
  createdAt: Time,
  expiresAt: Time,
})
export const OfferedInvitationBody = Type.Pick(InvitationBody, ['role', 'email', 'expiresAt'])
export const NewInvitationBody = Type.Object({
  ...InvitationBody.properties,
  url: Type.String({ description: 'The link for the invited; shown this once' }),
})
export const InviteRequest = Type.Object({ role: Role, email: Type.Optional(Email) }, closed)

export const TokenBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scope: OptionalUnion,
  scopes: Scopes,
  flows: OptionalList,
  tags: OptionalList,
  createdAt: Time,
  createdBy: Type.String(),
  expiresAt: OptionalTime,
  lastUsedAt: OptionalTime,
  lastAddress: OptionalText,
})
export const NewTokenBody = Type.Object({
  ...TokenBody.properties,
  token: Type.String({ description: 'Shown this once' }),
})
export const GivenFlows = Type.Array(Type.String({ pattern: '^flow_[a-z0-9]{1,60}$' }), {
  maxItems: 100,
  description: 'Ids of flows',
})
export const GivenTags = Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { maxItems: 100 })
export const TokenRequest = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(GivenScopes),
    scope: Type.Optional(ScopeUnion),
    expiresAt: Type.Optional(Time),
    flows: Type.Optional(GivenFlows),
    tags: Type.Optional(GivenTags),
  },
  closed,
)

export const RoleBody = Type.Object({
  name: Role,
  scopes: Scopes,
  builtIn: Type.Boolean({ description: 'Whether every installation has it' }),
})
export const NewRoleRequest = Type.Object({ name: Role, scopes: GivenScopes }, closed)
export const RoleScopesRequest = Type.Object({ scopes: GivenScopes }, closed)
