import { expect, it } from 'vitest'
import type { OidcProvider } from '../../ports/sign-in/oidc-client.ts'
import { roleOf } from './role-of.ts'

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
