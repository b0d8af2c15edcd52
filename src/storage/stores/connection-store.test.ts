import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AuthorizationRequest, ConnectionRecord, GrantRecord } from '../../operations/ports/connections.ts'
import { testVault } from '../../secrets/keys.testkit.ts'
import { openSqlite, type SqliteStorage } from '../sqlite/database.ts'
import { createAuthorizationRequestStore } from './authorization-request-store.ts'
import { createConnectionStore } from './connection-store.ts'
import { createGrantStore } from './grant-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-connections-'))
let storage: SqliteStorage
beforeAll(async () => {
  storage = await openSqlite(folder)
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => storage.raw.exec('DELETE FROM connection; DELETE FROM connection_grant'))

const vault = testVault(1)
const stores = () => ({
  connections: createConnectionStore(storage.kysely, vault),
  grants: createGrantStore(storage.kysely, vault),
  requests: createAuthorizationRequestStore(storage.kysely, vault),
})

const connection = (name: string, more: Partial<ConnectionRecord> = {}): ConnectionRecord => ({
  name,
  kind: 'bearer',
  fields: { ['__proto__']: 'x', scopes: ['a'] },
  secrets: { token: `token of ${name}` },
  hosts: ['api.example.com'],
  revision: 1,
  createdAt: 1,
  updatedAt: 2,
  outside: {},
  onlyFor: null,
  lastTest: null,
  ...more,
})

const grant = (name: string, version: number): GrantRecord => ({
  connection: name,
  version,
  state: 'ready',
  reason: null,
  tokens: { accessToken: `access ${version}`, refreshToken: null },
  obtainedAt: 1,
  expiresAt: null,
  refreshingSince: null,
})

const request = (id: string): AuthorizationRequest => ({
  id,
  connection: 'a',
  revision: 1,
  actor: { id: null, name: 'somebody' },
  browser: null,
  verifier: `verifier of ${id}`,
  expiresAt: 100,
})

describe('a connection', () => {
  it('comes back as it was stored', async () => {
    const { connections } = stores()
    expect(await connections.create(connection('a'))).toBe(true)
    expect(await connections.all()).toEqual([connection('a')])
    expect(await connections.create(connection('a', { kind: 'custom' }))).toBe(false)
  })

  it('is replaced only with the current value as proof', async () => {
    const { connections } = stores()
    await connections.create(connection('a'))
    expect(await connections.replace(connection('a', { revision: 3 }))).toBe(false)
    expect(await connections.replace(connection('a', { revision: 2, hosts: [] }))).toBe(true)
    expect(await connections.replace(connection('a', { revision: 2, hosts: ['b.example.com'] }))).toBe(false)
    expect((await connections.all())[0]!.hosts).toEqual([])
    expect(await connections.replace(connection('b', { revision: 2 }))).toBe(false)
  })

  it('keeps the result of a test of its current values', async () => {
    const { connections } = stores()
    await connections.create(connection('a'))
    const lastTest = { at: 5, verdict: 'refused' as const }
    expect(await connections.recordTest('a', 1, lastTest)).toBe(true)
    expect(await connections.all()).toEqual([connection('a', { lastTest })])
    expect(await connections.replace(connection('a', { revision: 2 }))).toBe(true)
    expect(await connections.recordTest('a', 1, lastTest)).toBe(false)
    expect(await connections.all()).toEqual([connection('a', { revision: 2 })])
  })

  it('takes along what it was granted when it is removed', async () => {
    const { connections, grants, requests } = stores()
    await connections.create(connection('a'))
    await grants.put(grant('a', 1))
    await requests.add(request('r'), 0)
    expect(await connections.remove('a')).toBe(true)
    expect(await connections.remove('a')).toBe(false)
    expect(await grants.all()).toEqual([])
    expect(await requests.take('r')).toBeNull()
    expect(await grants.put(grant('a', 1))).toBe(false)
  })
})

describe('a grant', () => {
  it('is written once for each version', async () => {
    const { connections, grants } = stores()
    await connections.create(connection('a'))
    const written = await Promise.all([1, 2, 3].map(() => grants.put(grant('a', 1))))
    expect(written.filter(Boolean)).toHaveLength(1)
    expect(await grants.put(grant('a', 3))).toBe(false)
    expect(await grants.put(grant('a', 2))).toBe(true)
    expect(await grants.put(grant('a', 2))).toBe(false)
    expect(await grants.get('a')).toEqual(grant('a', 2))
  })
})

describe('an authorization request', () => {
  it('can be taken once, and is cleared away after its time', async () => {
    const { requests } = stores()
    await requests.add(request('r'), 0)
    expect(await requests.take('r')).toEqual(request('r'))
    expect(await requests.take('r')).toBeNull()
    await requests.add(request('old'), 0)
    await requests.add(request('new'), 100)
    expect(await requests.take('old')).toBeNull()
    expect(await requests.take('new')).not.toBeNull()
  })
})

describe('what is sealed', () => {
  it('cannot be opened in another row, and the rest of that row still can be read', async () => {
    const { connections, grants, requests } = stores()
    for (const name of ['a', 'b']) {
      await connections.create(connection(name))
      await grants.put(grant(name, 1))
      await requests.add(request(name), 0)
    }
    for (const [table, key] of [
      ['connection', 'name'],
      ['connection_grant', 'connection'],
      ['authorization_request', 'id'],
    ])
      storage.raw.exec(
        `UPDATE ${table} SET sealed = (SELECT sealed FROM ${table} WHERE ${key} = 'a') WHERE ${key} = 'b'`,
      )
    const all = await connections.all()
    expect(all.map(({ name, secrets }) => [name, secrets])).toEqual([
      ['a', connection('a').secrets],
      ['b', null],
    ])
    expect(await grants.get('b')).toMatchObject({ state: 'reconnect', tokens: null, reason: expect.any(String) })
    expect(await requests.take('b')).toBeNull()
    expect(await requests.take('a')).not.toBeNull()
  })
})
