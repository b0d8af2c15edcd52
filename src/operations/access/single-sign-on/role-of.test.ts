import { expect, it } from 'vitest'
import { BUILT_IN_ROLES, type Scopes } from '../../../base/scopes.ts'
import type { OidcProvider } from '../../ports/sign-in/oidc-client.ts'
import { roleOf as roleAmong } from './role-of.ts'

const OWN: [string, Scopes][] = [
  ['support', ['runs:read', 'runs:replay']],
  ['finance', ['approvals', 'runs:read']],
]
const roleOf = (one: OidcProvider, groups: string[]) => roleAmong(one, groups, new Map([...BUILT_IN_ROLES, ...OWN]))

const provider = (change: Partial<OidcProvider>): OidcProvider => ({
  id: '1',
  name: 'Acme',
  issuer: 'https://id.example.com',
  clientId: 'millrace',
  clientSecret: null,
  roles: {
    claim: 'groups',
    roles: [
      { value: 'staff', role: 'viewer' },
      { value: 'admins', role: 'owner' },
      { value: 'devs', role: 'editor' },
    ],
  },
  defaultRole: null,
  ...change,
})

it('takes the highest role that a group gives, whatever the order', () => {
  expect(roleOf(provider({}), ['staff', 'devs'])).toBe('editor')
  expect(roleOf(provider({}), ['devs', 'admins', 'staff'])).toBe('owner')
})

it('gives the default to those without a group of the list, and nothing where there is none', () => {
  expect(roleOf(provider({}), ['others'])).toBeNull()
  expect(roleOf(provider({}), [])).toBeNull()
  expect(roleOf(provider({ defaultRole: 'viewer' }), ['others'])).toBe('viewer')
  expect(roleOf(provider({ defaultRole: 'viewer', roles: null }), ['admins'])).toBe('viewer')
})

it('gives roles that owners made, the first of those with as many scopes, and none that is gone', () => {
  const roles = {
    claim: 'groups',
    roles: [
      { value: 'money', role: 'finance' },
      { value: 'help', role: 'support' },
      { value: 'old', role: 'gone' },
      { value: 'staff', role: 'viewer' },
    ],
  }
  expect(roleOf(provider({ roles }), ['help', 'money'])).toBe('finance')
  expect(roleOf(provider({ roles }), ['help', 'staff'])).toBe('viewer')
  expect(roleOf(provider({ roles }), ['old'])).toBeNull()
  expect(roleOf(provider({ roles, defaultRole: 'gone' }), [])).toBeNull()
})
