// One example of each body of signing in, users, invitations and tokens.
import type { Static, TSchema } from 'typebox'
import { UNIONS } from '../base/scopes.ts'
import * as bodies from './access-bodies.ts'
import { example } from './example.ts'

const ada: Static<typeof bodies.SignedInBody>['user'] = {
  id: 'usr_01m7h4zq5rf0m2c8m0r2h7g6yt',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'owner',
  scopes: [...UNIONS.admin],
}
const password = 'a sentence of your own'
const code = 'R0gCNNYPXt5WPnt1RL3fmY_n9fRBvDkkJslRyd4xYFE'

const invitation: Static<typeof bodies.InvitationBody> = {
  id: 'inv_01m7h52kd0gm2wr60xwyy49zfw',
  email: 'bob@example.com',
  role: 'editor',
  createdAt: '2026-11-16T08:00:00.000Z',
  expiresAt: '2026-11-23T08:00:00.000Z',
}

const token: Static<typeof bodies.TokenBody> = {
  id: 'tok_01m7h52kdtrha19rxpvtqpbe6s',
  name: 'deploy',
  scope: null,
  scopes: ['flows:read', 'flows:write'],
  flows: [],
  tags: ['billing'],
  createdAt: '2026-11-16T08:00:00.000Z',
  createdBy: 'ada@example.com',
  expiresAt: '2027-05-16T08:00:00.000Z',
  lastUsedAt: null,
  lastAddress: null,
}

export const ACCESS_EXAMPLES: readonly [TSchema, unknown][] = [
  example(bodies.SignInStateBody, {
    setup: false,
    user: ada,
    providers: [{ id: '1', name: 'Acme' }],
    passwords: true,
    twoFactorSetup: false,
  }),
  example(bodies.SignedInBody, { user: ada }),
  example(bodies.SessionBody, { session: { expiresAt: '2026-11-30T08:00:00.000Z' }, user: ada }),
  example(bodies.SetUpRequest, { code, email: 'ada@example.com', name: 'Ada', password }),
  example(bodies.SignInRequest, { email: 'ada@example.com', password, code: '492039' }),
  example(bodies.ChangePasswordRequest, { currentPassword: password, newPassword: 'another sentence of your own' }),
  example(bodies.AcceptInvitationRequest, { code, email: 'bob@example.com', name: 'Bob', password }),
  example(bodies.InvitationRequest, { code }),
  example(bodies.OfferedInvitationBody, {
    role: invitation.role,
    email: invitation.email,
    expiresAt: invitation.expiresAt,
  }),
  example(bodies.MeBody, { name: 'ada@example.com', scope: 'admin', scopes: [...UNIONS.admin], user: ada }),
  example(bodies.ListedUserBody, {
    ...ada,
    createdAt: '2026-11-15T16:00:00.000Z',
    lastSignInAt: '2026-11-16T07:55:00.000Z',
    twoFactor: true,
    breakGlass: false,
  }),
  example(bodies.RoleRequest, { role: 'viewer' }),
  example(bodies.InvitationBody, invitation),
  example(bodies.NewInvitationBody, { ...invitation, url: `https://millrace.example.com/invite#code=${code}` }),
  example(bodies.InviteRequest, { role: 'editor', email: 'bob@example.com' }),
  example(bodies.TokenBody, token),
  example(bodies.NewTokenBody, { ...token, token: 'mr_FBxJEXNx0An53wgXKX1IAb6wpQtsAYZ1_c-Cy-fWU64' }),
  example(bodies.TokenRequest, {
    name: 'deploy',
    scopes: ['flows:read', 'flows:write'],
    expiresAt: '2027-05-16T08:00:00.000Z',
  }),
  example(bodies.RoleBody, { name: 'support', scopes: ['runs:read', 'runs:replay'], builtIn: false }),
  example(bodies.NewRoleRequest, { name: 'support', scopes: ['runs:read', 'runs:replay'] }),
  example(bodies.RoleScopesRequest, { scopes: ['runs:read'] }),
]
