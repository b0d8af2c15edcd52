// Tests the audit log on both databases: its order, its chains, what finds a change, and how far destinations have got it.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/harness/millrace.ts'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import { createIds } from '../../engine/ids.ts'
import type { AuditEntry, AuditStore, Together } from '../../operations/ports/audit.ts'
import { type AuditChains, lineOf, MAIN_CHAIN, type Signing } from '../../operations/ports/audit-log/chain.ts'
import { verifyChains, verifyLines } from '../../operations/upkeep/audit-log/verify-chains.ts'
import { testVault } from '../../secrets/keys.testkit.ts'
import { openPostgres } from '../postgres/database.ts'
import type { AuditTable, Tables } from '../rows/tables.ts'
import { openSqlite } from '../sqlite/database.ts'
import { createAuditChains, createAuditDestinations } from '../stores/audit/audit-chains.ts'
import { createAuditStore } from '../stores/audit/audit-store.ts'

interface Opened {
  kysely: Kysely<Tables>
  together: Together
  stop(): Promise<void>
}

async function onSqlite(): Promise<Opened> {
  const folder = temporaryFolder()
  const { kysely, together, close } = await openSqlite(folder)
  const stop = async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { kysely, together, stop }
}

let databases: Databases | null = null
async function onPostgres(): Promise<Opened> {
  databases ??= await startDatabases()
  const { kysely, together, close } = await openPostgres(await databases.create())
  return { kysely, together, stop: close }
}
afterAll(() => databases?.stop())

const signingBy = (...keys: number[]): Signing => {
  const vault = testVault(...keys)
  return {
    sign: (text) => vault.sign(text, 'audit log'),
    isSigned: (text, signature) => vault.isSigned(text, 'audit log', signature),
  }
}
const OLD = signingBy(1)

let time = Date.UTC(2026, 0, 1)
const ids = createIds(() => time, randomBytes)
const entry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  id: ids.next('aud'),
  at: time,
  actor: 'ada@example.com',
  actorId: 'usr_1',
  action: 'flow.publish',
  target: { kind: 'flow', id: 'flow_1', name: 'Orders' },
  details: { version: 2 },
  ...change,
})

describe.each([
  ['SQLite', onSqlite, MAIN_CHAIN],
  ['PostgreSQL', onPostgres, 'node_1'],
])('the audit log on %s', (_name, open, chain) => {
  let opened: Opened
  let kysely: Kysely<Tables>
  let store: AuditStore
  let chains: AuditChains
  const storeOf = (of: string, signing = OLD) =>
    createAuditStore(kysely, { together: opened.together, chain: of, signing, ids, now: () => time })
  const verify = () => verifyChains(chains, OLD)
  const faults = async () => (await verify()).faults
  const rows = () => kysely.selectFrom('audit').selectAll().where('chain', '=', chain).orderBy('seq').execute()

  beforeAll(async () => {
    opened = await open()
    ;({ kysely } = opened)
    chains = createAuditChains(kysely, OLD)
  })
  afterAll(() => opened.stop())
  beforeEach(async () => {
    for (const table of ['audit', 'audit_chain', 'audit_destination', 'audit_cursor'] as const)
      await kysely.deleteFrom(table).execute()
    store = storeOf(chain)
  })

  it('gives back entries as they were added, newest first, page by page', async () => {
    const entries = [
      entry(),
      entry({ action: 'user.sign_in_failed', actorId: null, target: null, details: {} }),
      entry({
        target: { kind: 'connection', id: 'shop', name: null },
        details: { 2: 'b', 1: 'ä\u0000"', nested: [null] },
      }),
    ]
    for (const one of entries) await store.add(one)
    const first = await store.list({ limit: 2, cursor: null })
    const rest = await store.list({ limit: 2, cursor: first.nextCursor })
    const own = [...first.items, ...rest.items].filter(({ action }) => action !== 'audit.chain')
    expect(own).toEqual(entries.toReversed().slice(0, own.length))
  })

  it('chains them, and their lines hold without the database', async () => {
    for (let i = 0; i < 3; i++) await store.add(entry({ actor: `lone \ud800 and \0, ${i}` }))
    const [first, second, third] = await rows()
    expect([first!.prev, second!.prev, third!.prev]).toEqual([null, first!.hash, second!.hash])
    expect([first!.seq, second!.seq, third!.seq]).toEqual([1, 2, 3])
    expect(await faults()).toEqual([])
    const stored = await chains.entries(chain, 0, 10)
    const lines = async function* (texts: string[]) {
      yield* texts
    }
    const texts = stored.map(lineOf)
    expect(await verifyLines(lines(texts))).toMatchObject({ entries: 3, chains: 1, faults: [] })
    expect(await verifyLines(lines(texts.slice(1)))).toMatchObject({ entries: 2, faults: [] })
    for (const wrong of [
      [texts[0]!, texts[2]!],
      [texts[1]!, texts[0]!],
      [texts[0]!, texts[1]!.replace('flow.publish', 'flow.delete'), texts[2]!],
      [texts[0]!, texts[0]!],
      ['no entry'],
    ])
      expect((await verifyLines(lines(wrong))).faults).toHaveLength(1)
  })

  it('keeps the chain whole where deeds are done at once', async () => {
    // As many at once as there are sessions of the database.
    const worker = async (_: unknown, at: number) => {
      for (let i = 0; i < 6; i++)
        await opened.together.run(async () => {
          const values = { flow_id: 'f', key: `${time} ${at} ${i}`, run_id: 'r', expires_at: 0 }
          // Some record first and some last: none waits for the other.
          if (i % 2) await store.add(entry())
          await kysely.insertInto('dedupe').values(values).execute()
          if (i % 2 === 0) await store.add(entry())
        })
    }
    await Promise.all(Array.from({ length: 5 }, worker))
    expect((await rows()).map(({ seq }) => seq)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
    expect(await faults()).toEqual([])
  })

  it('has no entry, and no hole, of a deed that was not done', async () => {
    await store.add(entry())
    const undone = opened.together.run(async () => {
      await store.add(entry())
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await store.add(entry())
    expect((await rows()).map(({ seq }) => seq)).toEqual([1, 2])
    expect(await faults()).toEqual([])
  })

  const CHANGES: Partial<Record<keyof AuditTable, string | number | null>> = {
    id: 'aud_other',
    at: 1,
    actor: 'mallory',
    actor_id: null,
    action: 'flow.delete',
    target_kind: 'run',
    target_id: 'flow_2',
    target_name: null,
    details: '{"version":3}',
    chain: null,
    seq: 99,
    prev: 'x',
    hash: 'x',
  }
  it.each(Object.entries(CHANGES))('finds a change of %s', async (column, value) => {
    for (let i = 0; i < 3; i++) await store.add(entry())
    await kysely
      .updateTable('audit')
      .set({ [column]: value })
      .where('chain', '=', chain)
      .where('seq', '=', 2)
      .execute()
    expect(await faults()).toHaveLength(1)
  })

  it.each([
    ['missing', [2], 'entry 2 before it is missing'],
    ['missing from the beginning', [1], 'entry 1 before it is missing'],
    ['cut off', [3], 'it was cut off: it ends with entry 2, and should end with 3'],
    ['gone', [1, 2, 3], 'it was cut off: it ends with entry 0, and should end with 3'],
  ])('finds entries that are %s', async (_what, gone, message) => {
    for (let i = 0; i < 3; i++) await store.add(entry())
    await kysely.deleteFrom('audit').where('chain', '=', chain).where('seq', 'in', gone).execute()
    expect(await faults()).toMatchObject([{ chain, message }])
  })

  it('finds an end that was moved, and entries that were added, without the key', async () => {
    for (let i = 0; i < 3; i++) await store.add(entry())
    const [, second, third] = await rows()
    await kysely.deleteFrom('audit').where('chain', '=', chain).where('seq', '=', 3).execute()
    await kysely.updateTable('audit_chain').set({ seq: 2, hash: second!.hash }).where('id', '=', chain).execute()
    expect(await faults()).toMatchObject([{ chain, message: expect.stringContaining('its end is not signed') }])
    await kysely.insertInto('audit').values(third!).execute()
    await kysely.updateTable('audit_chain').set({ seq: 3, hash: third!.hash }).where('id', '=', chain).execute()
    expect(await faults()).toEqual([])
    await storeOf(chain, signingBy(2)).add(entry())
    expect(await faults()).toMatchObject([{ chain, message: expect.stringContaining('its end is not signed') }])
  })

  it('finds a chain that is missing as a whole', async () => {
    await store.add(entry())
    await kysely.deleteFrom('audit_chain').where('id', '=', chain).execute()
    expect(await faults()).toContainEqual(
      expect.objectContaining({ chain, message: 'its entries are there, but not the chain itself' }),
    )
    await kysely.deleteFrom('audit').where('chain', '=', chain).execute()
    // The main chain names those of processes; if it is gone itself, nothing is left that could tell.
    expect(await faults()).toEqual(
      chain === MAIN_CHAIN ? [] : [expect.objectContaining({ chain, message: 'the chain is missing as a whole' })],
    )
  })

  it('deletes its old end, a few at a time, and leaves a signed anchor', async () => {
    for (let i = 0; i < 3; i++) await store.add(entry())
    const count = (await store.list({ limit: 50, cursor: null })).items.length
    time += 1000
    const recent = entry()
    await store.add(recent)
    let deleted = 0
    for (let some = 2; some > 0; deleted += some) {
      some = await store.deleteOlderThan(time, 2)
      expect(some).toBeLessThanOrEqual(2)
    }
    expect(deleted).toBe(count)
    expect((await store.list({ limit: 50, cursor: null })).items).toEqual([recent])
    expect(await verify()).toMatchObject({ entries: 1, faults: [] })
    await store.add(entry())
    expect(await faults()).toEqual([])

    const [at] = await rows()
    await kysely.deleteFrom('audit').where('chain', '=', chain).where('seq', '=', 4).execute()
    expect(await faults()).toMatchObject([{ message: 'entry 4 before it is missing' }])
    await kysely
      .updateTable('audit_chain')
      .set({ anchor_seq: 4, anchor_hash: at!.hash })
      .where('id', '=', chain)
      .execute()
    expect(await faults()).toMatchObject([{ message: expect.stringContaining('the anchor that retention left') }])
  })

  it('says how many entries are older than the chains, and deletes them too', async () => {
    const unchained = {
      actor: 'ada',
      actor_id: null,
      action: 'flow.create',
      target_kind: null,
      target_id: null,
      target_name: null,
    }
    await kysely
      .insertInto('audit')
      .values({
        ...unchained,
        id: ids.next('aud'),
        at: time,
        details: '{}',
        chain: null,
        seq: null,
        prev: null,
        hash: null,
      })
      .execute()
    time += 1000
    await store.add(entry())
    expect(await verify()).toMatchObject({ unchained: 1, faults: [] })
    // On PostgreSQL also the entry that names the chain.
    expect(await store.deleteOlderThan(time, 10)).toBe(chain === MAIN_CHAIN ? 1 : 2)
    expect(await verify()).toMatchObject({ unchained: 0, faults: [] })
  })

  it('is signed anew when keys are rotated, but for what was changed', async () => {
    for (let i = 0; i < 2; i++) await store.add(entry())
    time += 1000
    await store.add(entry())
    await store.deleteOlderThan(time, 10)
    const both = signingBy(2, 1)
    const alone = signingBy(2)
    expect(await verifyChains(chains, both)).toMatchObject({ faults: [] })
    expect((await verifyChains(chains, alone)).faults).not.toEqual([])
    await createAuditChains(kysely, both).resign()
    expect(await verifyChains(chains, alone)).toMatchObject({ faults: [] })
    await kysely.updateTable('audit_chain').set({ seq: 2 }).where('id', '=', chain).execute()
    await createAuditChains(kysely, both).resign()
    expect((await verifyChains(chains, alone)).faults).toMatchObject([{ chain }])
  })

  it('is delivered from where a destination ended, by one process at a time', async () => {
    const destinations = createAuditDestinations(kysely)
    await store.add(entry())
    expect(await destinations.claim('syslog', 'one', time, time + 100)).toBe(true)
    // What was there before is not sent.
    expect(await destinations.behind('syslog')).toEqual([])
    expect(await destinations.claim('syslog', 'two', time, time + 100)).toBe(false)
    expect(await destinations.claim('syslog', 'one', time, time + 100)).toBe(true)
    await store.add(entry())
    await store.add(entry())
    expect(await destinations.behind('syslog')).toEqual([{ chain, seq: 1, missing: 2 }])
    await destinations.arrived('syslog', chain, 2)
    expect(await destinations.behind('syslog')).toEqual([{ chain, seq: 2, missing: 1 }])
    await destinations.release('syslog', 'one')
    expect(await destinations.claim('syslog', 'two', time, time + 100)).toBe(true)
    expect(await destinations.claim('syslog', 'one', time + 101, time + 200)).toBe(true)
    await storeOf('node_2').add(entry())
    await destinations.arrived('syslog', chain, 3)
    expect(await destinations.behind('syslog')).toContainEqual({ chain: 'node_2', seq: 0, missing: 1 })
  })
})
