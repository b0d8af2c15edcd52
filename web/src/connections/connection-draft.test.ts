import { describe, expect, it } from 'vitest'
import type { Connection } from '../api/api-types.ts'
import { differs, draftOf, emptyDraft, requestOf } from './connection-draft.ts'

const connection: Connection = {
  name: 'shop',
  kind: 'oauth2',
  fields: {
    grant: 'client_credentials',
    tokenUrl: 'https://a.example/token',
    clientId: 'id',
    scopes: ['read', 'write'],
  },
  secretFields: ['clientSecret'],
  hosts: ['api.example.com'],
  flows: null,
  tags: null,
  state: 'ready',
  reason: null,
  expiresAt: null,
  usedBy: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  outside: {},
  lastTest: null,
  certificate: null,
}

describe('a connection being changed', () => {
  it('sends no secret that was not typed', () => {
    expect(requestOf(draftOf(connection)).fields).toEqual({
      grant: 'client_credentials',
      tokenUrl: 'https://a.example/token',
      clientId: 'id',
      scopes: 'read write',
    })
  })

  it('sends a replaced secret, and takes a removed one away', () => {
    const draft = draftOf(connection)
    expect(requestOf({ ...draft, values: { ...draft.values, clientSecret: 'new' } }).fields).toHaveProperty(
      'clientSecret',
      'new',
    )
    expect(requestOf({ ...draft, removed: ['clientSecret'] }).fields).toHaveProperty('clientSecret', null)
  })

  it('leaves out what the chosen grant does not ask for', () => {
    const draft = draftOf(connection)
    const values = { ...draft.values, authorizationUrl: 'https://a.example/authorize' }
    expect(requestOf({ ...draft, values }).fields).not.toHaveProperty('authorizationUrl')
  })

  it('shows an object as JSON, which is sent as text', () => {
    const jwt: Connection = { ...connection, kind: 'jwt', fields: { algorithm: 'RS256', claims: { iss: 'me' } } }
    expect(requestOf(draftOf(jwt)).fields).toEqual({ algorithm: 'RS256', claims: '{\n  "iss": "me"\n}' })
    expect(differs(draftOf(jwt), jwt)).toBe(false)
  })

  it('differs only where something would change', () => {
    const draft = draftOf(connection)
    expect(differs(draft, connection)).toBe(false)
    expect(differs({ ...draft, hosts: [] }, connection)).toBe(true)
    expect(differs({ ...draft, values: { ...draft.values, clientSecret: 'x' } }, connection)).toBe(true)
  })

  it('gathers the TLS settings, keeps the secrets among them, and removes what is emptied', () => {
    const secured: Connection = {
      ...connection,
      fields: { ...connection.fields, tls: { certificate: 'PEM', ca: 'CA' } },
      secretFields: ['clientSecret', 'tls.key'],
    }
    const draft = draftOf(secured)
    expect(draft.values).toMatchObject({ 'tls.certificate': 'PEM', 'tls.ca': 'CA' })
    expect(requestOf(draft).fields['tls']).toEqual({ certificate: 'PEM', ca: 'CA' })
    expect(differs(draft, secured)).toBe(false)
    const values = { ...draft.values, 'tls.certificate': '', 'tls.ca': '' }
    expect(requestOf({ ...draft, values, removed: ['tls.key'] }).fields['tls']).toBeNull()
    expect(requestOf({ ...emptyDraft('tls'), values: { ca: 'CA' } }).fields).toEqual({ ca: 'CA' })
  })

  it('leaves out custom fields that have no name or no value yet', () => {
    const draft = { ...emptyDraft('custom'), values: { '': 'x', key: '', other: 'y' } }
    expect(requestOf(draft).fields).toEqual({ other: 'y' })
  })
})
