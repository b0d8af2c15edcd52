import type { TSchema } from 'typebox'
import { example } from '../example.ts'
import * as bodies from './sign-in-bodies.ts'

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

export const SIGN_IN_EXAMPLES: readonly [TSchema, unknown][] = [
  example(bodies.OwnSessionBody, {
    id: '6b1f0f6dd4c1c0d4e3a0c4d6a5f0b7f0f5b8d1f6c9b0a7e8d4c3b2a190807060',
    current: true,
    device: 'Firefox on Linux',
    address: '203.0.113.7',
    provider: null,
    createdAt: '2026-11-16T08:00:00.000Z',
    lastUsedAt: '2026-11-16T09:12:00.000Z',
    expiresAt: '2026-11-23T08:00:00.000Z',
  }),
  example(bodies.EndedSessionsBody, { ended: 2 }),
  example(bodies.TwoFactorBody, {
    available: true,
    enabledAt: '2026-11-16T08:00:00.000Z',
    recoveryCodesLeft: 10,
    required: true,
  }),
  example(bodies.PasswordRequest, { password: 'a sentence of your own' }),
  example(bodies.TwoFactorSecretBody, {
    secret: SECRET,
    url: `otpauth://totp/Millrace:ada%40example.com?issuer=Millrace&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
  }),
  example(bodies.TwoFactorCodeRequest, { code: '492039' }),
  example(bodies.RecoveryCodesBody, { recoveryCodes: ['7kq2-m0x4-9tzd-1c8v', 'h3wn-5p6r-bj2s-e7ya'] }),
  example(bodies.TwoFactorRuleBody, { roles: ['owner'] }),
  example(bodies.TwoFactorRuleRequest, { roles: ['owner'] }),
  example(bodies.IdentityBody, {
    id: 'idn_01m7h52kd0gm2wr60xwyy49zfw',
    provider: 'Acme',
    email: 'ada@example.com',
    createdAt: '2026-11-16T08:00:00.000Z',
    lastUsedAt: null,
  }),
  example(bodies.LogoutForm, { logout_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.…' }),
  example(bodies.ProviderUrlBody, { url: 'https://id.example.com/authorize?response_type=code&client_id=millrace&…' }),
]
