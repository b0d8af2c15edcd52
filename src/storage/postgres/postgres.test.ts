import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Databases, query, startDatabases } from '../../../test/harness/postgres.ts'
import { DatabaseRefused } from '../../base/refusals.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { accessContract } from '../conformance/access-contract.testkit.ts'
import { statsContract } from '../conformance/stats-contract.testkit.ts'
import { storeContract } from '../conformance/store-contract.testkit.ts'
import { newRun, STORE_SECRET, type Stores } from '../conformance/stores.testkit.ts'
import { createIdentityStore, createLogoutTokens } from '../stores/access/identity-store.ts'
import { createRoleStore } from '../stores/access/role-store.ts'
import { createSecondFactorStore } from '../stores/access/second-factor-store.ts'
import { createAuthorizationRequestStore } from '../stores/authorization-request-store.ts'
import { createDeliveryStore } from '../stores/delivery-store.ts'
import { createFlowStore } from '../stores/flow-store.ts'
import { createHousekeeping } from '../stores/housekeeping.ts'
import { createInvitationStore } from '../stores/invitation-store.ts'
import { createRunStore } from '../stores/run-store.ts'
import { createSampleStore } from '../stores/sample-store.ts'
import { createSessionStore } from '../stores/session-store.ts'
import { createStatsStore } from '../stores/stats-store.ts'
import { createTokenStore } from '../stores/token-store.ts'
import { createUserStore } from '../stores/user-store.ts'
import { createVaultRecords } from '../stores/vault-records.ts'
import { openPostgres } from './database.ts'
import { createAddDelivery } from './deliveries.ts'
import { createDispatchStore } from './dispatch.ts'
import { nowhere } from './nowhere.testkit.ts'
import { createPostgresRunJournal } from './run-journal.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

const openStores = async (): Promise<Stores> => {
  const storage = await openPostgres(await databases.create())
  const protect = testProtect(STORE_SECRET)
  const journal = createPostgresRunJournal(storage, protect, nowhere)
  return {
    flows: createFlowStore(storage.kysely),
    runs: { ...createRunStore(storage.kysely), ...journal.runs },
    journal,
    deliveries: { ...createDeliveryStore(storage.kysely, protect), add: createAddDelivery(storage.hot, protect) },
    stats: createStatsStore(storage.kysely),
    samples: createSampleStore(storage.kysely, protect),
    housekeeping: createHousekeeping(storage.kysely),
    vaultRecords: createVaultRecords(storage.kysely),
    close: storage.close,
  }
}

storeContract('PostgreSQL', openStores)
statsContract('PostgreSQL', openStores)

const PLAIN = { seal: (text: string) => text, unseal: (text: string) => text }

accessContract('PostgreSQL', async () => {
  const { kysely, close } = await openPostgres(await databases.create())
  return {
    users: createUserStore(kysely),
    roles: createRoleStore(kysely),
    sessions: createSessionStore(kysely),
    identities: createIdentityStore(kysely),
    authorizations: createAuthorizationRequestStore(kysely, PLAIN),
    logoutTokens: createLogoutTokens(kysely),
    secondFactors: createSecondFactorStore(kysely, PLAIN),
    invitations: createInvitationStore(kysely),
    tokens: createTokenStore(kysely),
    housekeeping: createHousekeeping(kysely),
    close,
  }
})

describe('a claim on PostgreSQL', () => {
  it('stands until somebody takes or cancels the run, and is not asked for again within a moment', async () => {
    const storage = await openPostgres(await databases.create())
    const journal = createPostgresRunJournal(storage, testProtect(), nowhere)
    const runs = createRunStore(storage.kysely)
    const run = newRun('flow_holds')
    await journal.runs.accept(run)
    const { claim } = (await journal.claim(run.id, 0))!
    Object.assign(claim, { seenAt: performance.now() })
    expect(journal.holds!(claim)).toBe(true)
    const seenLongAgo = () => Object.assign(claim, { seenAt: Number.NEGATIVE_INFINITY })
    seenLongAgo()
    expect(await journal.holds!(claim)).toBe(true)
    expect(journal.holds!(claim)).toBe(true)
    await runs.cancel(run.id, 1, { code: 'cancelled', message: 'x' })
    seenLongAgo()
    expect(await journal.holds!(claim)).toBe(false)
    await storage.close()
  })

  it('is taken only as there is room for it, and small ones behind it all the same', async () => {
    const storage = await openPostgres(await databases.create())
    const journal = createPostgresRunJournal(storage, testProtect(), { ...nowhere, worker: () => 'one' })
    const dispatch = createDispatchStore(storage.hot, journal.claimReady, () => 0)
    const kib = (size: number) => 'x'.repeat(size * 1024 - 2)
    const runs = [kib(100), kib(200), 'small', kib(70)].map((body) => {
      const run = newRun('flow_large')
      return { ...run, webhook: { ...run.webhook!, body, rawBody: JSON.stringify(body) } }
    })
    for (const run of runs) await journal.runs.accept(run)
    const ids = runs.map(({ id }) => id)
    const take = async (bytes: number, bytesOfOne: number) =>
      (await dispatch.take('one', 9, { bytes, bytesOfOne })).map((run) => [ids.indexOf(run.id), run.bytes])
    expect(await take(1024, 99 * 1024)).toEqual([[2, 0]])
    expect(await take(1024, 100 * 1024)).toEqual([[0, 100 * 1024]])
    expect(await take(270 * 1024, 0)).toEqual([
      [1, 200 * 1024],
      [3, 70 * 1024],
    ])
    await storage.close()
  })

  it('is not taken from the process that has it, nor by one that was given up for dead', async () => {
    const storage = await openPostgres(await databases.create())
    const as = (worker: string) =>
      createPostgresRunJournal(storage, testProtect(), { ...nowhere, worker: () => worker })
    const [first, second] = [as('one'), as('two')]
    const dispatch = createDispatchStore(storage.hot, first.claimReady, () => 0)
    await dispatch.enlist('one')
    const run = newRun('flow_taken')
    await first.runs.accept(run)
    expect((await dispatch.take('one', 5)).map(({ id }) => id)).toEqual([run.id])
    expect(await second.claim(run.id, 0)).toBeNull()
    expect(await dispatch.freeOrphans()).toBe(0)
    await dispatch.strike('one', 0)
    expect(await dispatch.beat('one')).toBe(false)
    expect(await dispatch.freeOrphans()).toBe(1)
    expect((await dispatch.take('two', 5)).map(({ id, claim }) => [id, claim.epoch])).toEqual([[run.id, 3]])
    expect(await first.claim(run.id, 0)).toBeNull()
    await storage.close()
  })
})

describe('the PostgreSQL database', () => {
  it('is brought up to date once by processes that start at the same time', async () => {
    const url = await databases.createEmpty()
    const opened = await Promise.all([openPostgres(url), openPostgres(url), openPostgres(url)])
    const applied = await query(url, 'select name, count(*)::int as n from kysely_migration group by name')
    expect(applied.length).toBeGreaterThan(3)
    expect(applied.filter(({ n }) => n !== 1)).toEqual([])
    for (const storage of opened) await storage.close()
  })

  it('is refused when a newer version has written it', async () => {
    const url = await databases.create()
    await (await openPostgres(url)).close()
    await query(url, `insert into kysely_migration (name, timestamp) values ('999-future', '2030-01-01')`)
    await expect(openPostgres(url)).rejects.toThrow('newer version of Millrace')
  })

  it('is refused by name, without its password, when it cannot be reached', async () => {
    const refused = openPostgres('postgres://me:c4nary@127.0.0.1:1/flows', 0)
    await expect(refused).rejects.toBeInstanceOf(DatabaseRefused)
    await expect(refused).rejects.toThrow(/^The database flows at 127\.0\.0\.1:1 cannot be used: .*DATABASE_URL/)
    await expect(refused).rejects.not.toThrow('c4nary')
  })

  it('writes to disk before it says so, also where the server is set up otherwise', async () => {
    const url = await databases.create()
    await query(url, `alter database "${new URL(url).pathname.slice(1)}" set synchronous_commit = off`)
    const storage = await openPostgres(url)
    const [hot] = await storage.hot.query({ text: 'show synchronous_commit', values: [] })
    expect(hot).toEqual({ synchronous_commit: 'on' })
    const { rows } = await sql`show synchronous_commit`.execute(storage.kysely)
    expect(rows).toEqual([{ synchronous_commit: 'on' }])
    await storage.close()
  })
})
