// Tests on both databases that a run which somebody starts is stored in one transaction with its entry in the audit log.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/harness/millrace.ts'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import { createIds } from '../../engine/ids.ts'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import type { Together } from '../../operations/ports/audit.ts'
import { MAIN_CHAIN } from '../../operations/ports/audit-log/chain.ts'
import type { Dedupe, ReplayedJournal, RunStore } from '../../operations/ports/runs.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { openPostgres } from '../postgres/database.ts'
import { nowhere } from '../postgres/nowhere.testkit.ts'
import { createPostgresRunJournal } from '../postgres/run-journal.ts'
import type { Tables } from '../rows/tables.ts'
import { openSqlite } from '../sqlite/database.ts'
import { createSqliteRunJournal } from '../sqlite/run-journal.ts'
import { createAuditStore } from '../stores/audit/audit-store.ts'
import { createRunStore } from '../stores/run-store.ts'
import { newRun, entry as step } from './stores.testkit.ts'

interface Opened {
  kysely: Kysely<Tables>
  together: Together
  runs: Pick<RunStore, 'accept' | 'followed' | 'steps'>
  stop(): Promise<void>
}

async function onSqlite(): Promise<Opened> {
  const folder = temporaryFolder()
  const storage = await openSqlite(folder)
  const { kysely, together, close } = storage
  const runs = { ...createRunStore(kysely), ...createSqliteRunJournal(storage, testProtect()).runs }
  const stop = async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { kysely, together, runs, stop }
}

let databases: Databases | null = null
async function onPostgres(): Promise<Opened> {
  databases ??= await startDatabases()
  const storage = await openPostgres(await databases.create())
  const { kysely, together, close } = storage
  const runs = { ...createRunStore(kysely), ...createPostgresRunJournal(storage, testProtect(), nowhere).runs }
  return { kysely, together, runs, stop: close }
}
afterAll(() => databases?.stop())

const ids = createIds(Date.now, randomBytes)
const signing = { sign: () => 'signed', isSigned: () => true }
const FLOW = 'flow_1'
const KEY: Dedupe = { key: 'k', expiresAt: Number.MAX_SAFE_INTEGER }

interface Start {
  run: NewRun
  dedupe?: Dedupe
  journal?: ReplayedJournal
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('a run that somebody starts, on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.stop())
  beforeEach(async () => {
    for (const table of ['audit', 'audit_chain', 'run', 'step', 'dedupe', 'flow_delta'] as const)
      await opened.kysely.deleteFrom(table).execute()
  })

  const record = () => {
    const { kysely, together } = opened
    const store = createAuditStore(kysely, { together, chain: MAIN_CHAIN, signing, ids, now: Date.now })
    const facts = { actor: 'ada', actorId: null, action: 'flow.run' as const, target: null, details: {} }
    return store.add({ id: ids.next('aud'), at: Date.now(), ...facts })
  }
  const accept = ({ run, dedupe, journal }: Start, entry: () => Promise<void> = record) =>
    opened.runs.accept(run, dedupe, journal, { concurrency: null, awaited: false, route: null, entry })
  const idsIn = async (table: 'audit' | 'run') =>
    (await opened.kysely.selectFrom(table).select('id').execute()).map(({ id }) => id)
  const counted = () => opened.kysely.selectFrom('flow_delta').select(['counter', 'count']).execute()

  const original = newRun(FLOW)
  const STARTS: Record<string, (change?: Partial<NewRun>) => Start> = {
    'by itself': (change) => ({ run: newRun(FLOW, { labels: { event: 'paid' }, ...change }) }),
    'with a key': (change) => ({ run: newRun(FLOW, change), dedupe: KEY }),
    'with a journal': (change) => ({
      run: newRun(FLOW, { replayOf: original.id, edited: true, ...change }),
      journal: { runId: original.id, before: 0, given: [step('a')] },
    }),
  }

  it.each(Object.entries(STARTS))('%s has its entry', async (_how, start) => {
    const given = start()
    expect(await accept(given)).toMatchObject({ duplicateOf: null })
    expect(await idsIn('run')).toEqual([given.run.id])
    expect(await idsIn('audit')).toHaveLength(1)
    expect(await opened.runs.steps(given.run.id)).toHaveLength(given.journal ? 1 : 0)
    expect(await counted()).toEqual([{ counter: given.journal ? 'started' : 'accepted', count: 1 }])
  })

  it.each(Object.entries(STARTS))('%s is not stored without its entry', async (_how, start) => {
    const refused = accept(start(), async () => {
      await record()
      throw new Error('no entry')
    })
    await expect(refused).rejects.toThrow('no entry')
    expect([await idsIn('run'), await idsIn('audit'), await counted()]).toEqual([[], [], []])
    // The key is free, and nothing is left that holds others up.
    expect(await accept(start())).toMatchObject({ duplicateOf: null })
    expect(await counted()).toMatchObject([{ count: 1 }])
  })

  it.each(Object.entries(STARTS))('%s has no entry if it cannot be stored', async (_how, start) => {
    const { run } = start()
    await opened.runs.accept(run)
    await expect(accept(start({ id: run.id }))).rejects.toThrow()
    await expect(accept(start({ files: ['file_none'] }))).rejects.toThrow()
    expect(await idsIn('run')).toEqual([run.id])
    expect(await idsIn('audit')).toEqual([])
    expect(await counted()).toMatchObject([{ count: 1 }])
  })

  it('has no entry if another has its key', async () => {
    const first = newRun(FLOW)
    await opened.runs.accept(first, KEY)
    expect(await accept({ run: newRun(FLOW), dedupe: KEY })).toEqual({ duplicateOf: first.id })
    expect(await idsIn('audit')).toEqual([])
  })

  it('waits for no other, and no other for it', async () => {
    const starts = Array.from({ length: 20 }, () => ({ run: newRun(FLOW) }))
    const deliveries = Array.from({ length: 20 }, () => newRun(FLOW))
    await Promise.all([
      ...starts.map((start) => accept(start)),
      ...deliveries.map((run, at) => opened.runs.accept(run, { key: `${at}`, expiresAt: KEY.expiresAt })),
    ])
    expect(new Set(await idsIn('run'))).toEqual(
      new Set([...starts.map(({ run }) => run), ...deliveries].map(({ id }) => id)),
    )
    expect(await idsIn('audit')).toHaveLength(20)
    const rows = await counted()
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(40)
  })
})
