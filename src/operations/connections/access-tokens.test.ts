// Tests tokens on a real database, with a clock and an authorization server that the test controls.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Standing } from '../../engine/ports/http-client.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import { testVault } from '../../secrets/keys.testkit.ts'
import { Redactor } from '../../secrets/redactor.ts'
import { createSecrets } from '../../secrets/secret-keeping.ts'
import { openSqlite, type SqliteStorage } from '../../storage/sqlite/database.ts'
import { createConnectionStore } from '../../storage/stores/connection-store.ts'
import { createGrantStore } from '../../storage/stores/grant-store.ts'
import type { ConnectionRecord, GrantStore } from '../ports/connections.ts'
import { type OAuthClient, TokenRefused, type TokenSet, TokenUnavailable } from '../ports/oauth-client.ts'
import { AccessTokens } from './access-tokens.ts'
import { LiveConnections } from './live-connections.ts'

let folder: string
let storage: SqliteStorage
let grants: GrantStore
let time: number
/** The refresh tokens that the server received, and its answers. */
let asked: string[]
let answer: (n: number) => TokenSet | Promise<TokenSet>
let beforeItLeaves: () => Promise<void>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-tokens-'))
  storage = await openSqlite(folder)
  grants = createGrantStore(storage.kysely, testVault(1))
  await createConnectionStore(storage.kysely, testVault(1)).create(CRM)
  time = 1_000_000
  asked = []
  answer = (n) => tokenSet(n)
  beforeItLeaves = async () => {}
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const CRM: ConnectionRecord = {
  name: 'crm',
  kind: 'oauth2',
  fields: { grant: 'authorization_code', tokenUrl: 'https://id.example.com', clientId: 'me', clientAuth: 'basic' },
  secrets: { clientSecret: 'cl1ent-secret' },
  hosts: [],
  onlyFor: null,
  revision: 1,
  createdAt: 0,
  updatedAt: 0,
  outside: {},
  lastTest: null,
}

const tokenSet = (n: number, expiresInMs: number | null = 3_600_000): TokenSet => ({
  accessToken: `access-${n}`,
  refreshToken: `refresh-${n}`,
  expiresInMs,
})

/** Returns the tokens as one process sees them. */
async function process({ alone = true } = {}): Promise<{ tokens: AccessTokens; connections: LiveConnections }> {
  const connections = new LiveConnections(createSecrets(testVault(1), new Redactor(), () => time))
  connections.put(CRM)
  const oauth = {
    refresh: async (_settings: unknown, refreshToken: string, standing: Standing | null) => {
      await beforeItLeaves()
      if (standing && !standing.isCertain()) throw new TokenUnavailable('held back')
      return answer(asked.push(refreshToken))
    },
  } as unknown as OAuthClient
  const tokens = new AccessTokens({
    connections,
    grants,
    oauth,
    now: () => time,
    elapsedMs: () => time,
    sleep: async (ms) => {
      await new Promise((resolve) => setImmediate(resolve))
      time += ms
    },
    alone,
    redact: (text) => text,
    warn: () => {},
  })
  await tokens.load()
  return { tokens, connections }
}

async function failureOf(token: string | Promise<string>): Promise<string> {
  return Promise.resolve(token).then(
    () => 'none',
    (error) => error.code,
  )
}

describe('a token', () => {
  it('is used as it is until shortly before its end, and then refreshed', async () => {
    const { tokens, connections } = await process()
    await tokens.connect('crm', tokenSet(0))
    time += 3_600_000 - 61_000
    expect(tokens.accessToken('crm')).toBe('access-0')
    time += 1000
    expect(await tokens.accessToken('crm')).toBe('access-1')
    expect(asked).toEqual(['refresh-0'])
    expect(connections.fields['crm']).toMatchObject({ accessToken: 'access-1' })
    expect((await process()).tokens.accessToken('crm')).toBe('access-1')
  })

  it('of a short life is refreshed at half of it', async () => {
    const { tokens } = await process()
    await tokens.connect('crm', tokenSet(0, 10_000))
    time += 4999
    expect(tokens.accessToken('crm')).toBe('access-0')
    time += 1
    expect(await tokens.accessToken('crm')).toBe('access-1')
  })

  it('keeps its refresh token where the server sends no other', async () => {
    answer = (n) => ({ ...tokenSet(n, 1), refreshToken: null })
    const { tokens } = await process()
    await tokens.connect('crm', tokenSet(0, 1))
    for (let i = 0; i < 3; i++) {
      time += 1
      await tokens.accessToken('crm')
    }
    expect(asked).toEqual(['refresh-0', 'refresh-0', 'refresh-0'])
  })

  it('is used up to its end where there is none to refresh it with', async () => {
    const { tokens } = await process()
    await tokens.connect('crm', { ...tokenSet(0, 60_000), refreshToken: null })
    time += 59_999
    expect(await tokens.accessToken('crm')).toBe('access-0')
    expect(await tokens.renewed('crm', 'access-0')).toBeNull()
    time += 1
    expect(await failureOf(tokens.accessToken('crm'))).toBe('connection_unauthorized')
    expect(tokens.grant('crm')).toMatchObject({ state: 'reconnect', tokens: null })
    expect(asked).toEqual([])
  })

  it('of a connection that the database does not have is given up', async () => {
    const { tokens } = await process()
    storage.raw.exec('DELETE FROM connection')
    await expect(tokens.connect('crm', tokenSet(0))).rejects.toMatchObject({ code: 'token_unavailable' })
  })

  it('that cannot be had because the database is away says so, and is refreshed when it is back', async () => {
    const { get } = grants
    let isAway = false
    grants = { ...grants, get: (name) => (isAway ? Promise.reject(new StorageUnavailable('away')) : get(name)) }
    const { tokens } = await process()
    await tokens.connect('crm', tokenSet(0, 1))
    time += 1
    isAway = true
    await expect(tokens.accessToken('crm')).rejects.toBeInstanceOf(StorageUnavailable)
    await expect(tokens.renewed('crm', 'access-0')).rejects.toBeInstanceOf(StorageUnavailable)
    isAway = false
    expect(await tokens.accessToken('crm')).toBe('access-1')
    expect(asked).toEqual(['refresh-0'])
  })

  it('is used up to its end while the server is down, and the server is asked less and less', async () => {
    answer = () => Promise.reject(new TokenUnavailable('down'))
    const { tokens } = await process()
    await tokens.connect('crm', tokenSet(0, 60_000))
    time += 30_000
    expect(await tokens.accessToken('crm')).toBe('access-0')
    expect(asked).toHaveLength(3)
    expect(await tokens.accessToken('crm')).toBe('access-0')
    expect(asked).toHaveLength(3)
    time += 30_000
    expect(await failureOf(tokens.accessToken('crm'))).toBe('token_unavailable')
    expect(asked).toHaveLength(6)
    for (let minute = 0; minute < 60; minute++) {
      time += 60_000
      await failureOf(tokens.accessToken('crm'))
      await failureOf(tokens.accessToken('crm'))
    }
    expect(asked.length).toBeLessThan(200)
    answer = (n) => tokenSet(n)
    time += 60_000
    expect(await tokens.accessToken('crm')).toMatch(/^access-/)
  })

  it('waits as long as the server says', async () => {
    answer = () => Promise.reject(new TokenUnavailable('busy', 90_000))
    const { tokens } = await process()
    await tokens.connect('crm', tokenSet(0, 1))
    time += 1
    await failureOf(tokens.accessToken('crm'))
    time += 89_000
    await failureOf(tokens.accessToken('crm'))
    expect(asked).toHaveLength(1)
    time += 1001
    await failureOf(tokens.accessToken('crm'))
    expect(asked).toHaveLength(2)
  })

  it('that is gone is not asked for again, also after a restart', async () => {
    answer = () => Promise.reject(new TokenRefused('invalid_grant', 'invalid_grant'))
    const { tokens } = await process()
    await tokens.connect('crm', tokenSet(0, 1))
    time += 1
    for (let i = 0; i < 3; i++) {
      expect(await failureOf(tokens.accessToken('crm'))).toBe('connection_unauthorized')
      time += 3_600_000
    }
    const later = await process()
    expect(await failureOf(later.tokens.accessToken('crm'))).toBe('connection_unauthorized')
    expect(asked).toHaveLength(1)
    expect(later.tokens.grant('crm')).toMatchObject({ state: 'reconnect', tokens: null })
  })
})

describe('several processes', () => {
  it('refresh once, and all take over what came', async () => {
    let release = () => {}
    answer = (n) =>
      new Promise((resolve) => {
        release = () => resolve(tokenSet(n))
      })
    const processes = await Promise.all([1, 2, 3].map(() => process({ alone: false })))
    await processes[0]!.tokens.connect('crm', tokenSet(0, 1))
    time += 1
    const wanted = processes.flatMap(({ tokens }) => [1, 2, 3].map(async () => tokens.accessToken('crm')))
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    release()
    expect(new Set(await Promise.all(wanted))).toEqual(new Set(['access-1']))
    expect(asked).toEqual(['refresh-0'])
  })

  it('take over from one that died while it refreshed, when its time is over', async () => {
    const [dead, heir] = [await process({ alone: false }), await process({ alone: false })]
    await dead.tokens.connect('crm', tokenSet(0, 1))
    time += 1
    answer = () => new Promise(() => {})
    void dead.tokens.accessToken('crm')
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const began = time
    answer = (n) => tokenSet(n)
    expect(await heir.tokens.accessToken('crm')).toBe('access-2')
    expect(time - began).toBeGreaterThanOrEqual(60_000)
  })

  it('send nothing when they stood still for so long that another has refreshed it', async () => {
    const [paused, heir] = [await process({ alone: false }), await process({ alone: false })]
    await paused.tokens.connect('crm', tokenSet(0, 1))
    time += 1
    let goOn = () => {}
    const about = new Promise<void>((isAbout) => {
      beforeItLeaves = () =>
        new Promise((resolve) => {
          goOn = resolve
          isAbout()
        })
    })
    const wanted = paused.tokens.accessToken('crm')
    await about
    beforeItLeaves = async () => {}
    expect(await heir.tokens.accessToken('crm')).toBe('access-1')
    goOn()
    expect(await wanted).toBe('access-1')
    expect(asked).toEqual(['refresh-0'])
  })

  it('throw away what comes for a connection that was connected again meanwhile', async () => {
    const [one, other] = [await process({ alone: false }), await process({ alone: false })]
    await one.tokens.connect('crm', tokenSet(0, 1))
    time += 1
    let release = () => {}
    answer = (n) =>
      new Promise((resolve) => {
        release = () => resolve(tokenSet(n))
      })
    const wanted = one.tokens.accessToken('crm')
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await other.tokens.connect('crm', { ...tokenSet(9), accessToken: 'of-the-new-consent' })
    release()
    expect(await wanted).toBe('of-the-new-consent')
  })
})
