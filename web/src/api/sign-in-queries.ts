// How you sign in: your sessions, second factor and accounts elsewhere, and which roles need a second factor.
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  IdentityBody,
  OwnSessionBody,
  TwoFactorBody,
  TwoFactorRuleBody,
} from '../../../src/contract/access/sign-in-bodies.ts'
import { api } from './api-client.ts'

export type OwnSession = Static<typeof OwnSessionBody>
export type Identity = Static<typeof IdentityBody>

export const signInKeys = {
  sessions: ['own-sessions'],
  identities: ['identities'],
  twoFactor: ['two-factor'],
  twoFactorRule: ['two-factor-rule'],
}

export const signInQueries = {
  sessions: queryOptions({
    queryKey: signInKeys.sessions,
    queryFn: ({ signal }) => api.get<{ items: OwnSession[] }>('/api/auth/sessions', { signal }),
  }),
  identities: queryOptions({
    queryKey: signInKeys.identities,
    queryFn: ({ signal }) => api.get<{ items: Identity[] }>('/api/auth/identities', { signal }),
  }),
  twoFactor: queryOptions({
    queryKey: signInKeys.twoFactor,
    queryFn: ({ signal }) => api.get<Static<typeof TwoFactorBody>>('/api/auth/two-factor', { signal }),
  }),
  twoFactorRule: queryOptions({
    queryKey: signInKeys.twoFactorRule,
    queryFn: ({ signal }) => api.get<Static<typeof TwoFactorRuleBody>>('/settings/two-factor', { signal }),
  }),
}
