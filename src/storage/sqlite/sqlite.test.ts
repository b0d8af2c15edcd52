import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { startedByDelivery } from '../../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import { webhookData } from '../../engine/webhook-data.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { statsContract } from '../conformance/stats-contract.testkit.ts'
import { storeContract } from '../conformance/store-contract.testkit.ts'
import { entry, newRun, STORE_SECRET, type Stores } from '../conformance/stores.testkit.ts'
import { createDeliveryStore } from '../stores/delivery-store.ts'
import { createFlowStore } from '../stores/flow-store.ts'
import { createHousekeeping } from '../stores/housekeeping.ts'
import { createRunStore } from '../stores/run-store.ts'
import { createSampleStore } from '../stores/sample-store.ts'
import { createStatsStore } from '../stores/stats-store.ts'
import { createVaultRecords } from '../stores/vault-records.ts'
import { openSqlite } from './database.ts'
import { createSqliteRunJournal } from './run-journal.ts'

const folders: string[] = []
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'millrace-sqlite-'))
  folders.push(made)
  return made
}
afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})

const openStores = async (): Promise<Stores> => {
  const storage = await openSqlite(folder())
  const protect = testProtect(STORE_SECRET)
  const journal = createSqliteRunJournal(storage, protect)
  return {
    flows: createFlowStore(storage.kysely),
    runs: { ...createRunStore(storage.kysely), ...journal.runs },
    journal,
    deliveries: { ...createDeliveryStore(storage.kysely, protect), add: journal.addDelivery },
    samples: createSampleStore(storage.kysely, protect),
    housekeeping: createHousekeeping(storage.kysely),
    stats: createStatsStore(storage.kysely),
    vaultRecords: createVaultRecords(storage.kysely),
    close: storage.close,
  }
}

storeContract('SQLite', openStores)
statsContract('SQLite', openStores)

it('refuses what is to be written after the end, and nothing else comes of it', async () => {
  const storage = await openSqlite(folder())
  await storage.close()
  await expect(storage.hot.write([])).rejects.toBeInstanceOf(StorageUnavailable)
})

it('lists deliveries and runs without reading what they brought', async () => {
  const storage = await openSqlite(folder())
  const journal = createSqliteRunJournal(storage, testProtect(STORE_SECRET))
  const at = { version: 1, document: null, test: false, hops: 0, replyStatus: 200, createdAt: 1, replayOf: null }
  const webhook = { ...webhookData({ headers: {}, queryAll: {}, metadata: {} as never }, '{}') }
  const id = `run_${'0'.repeat(26)}`
  await journal.runs.accept({ id, flowId: 'flow', ...startedByDelivery(webhook), ...at })
  // A read of the request would fail.
  storage.raw.exec(`UPDATE run SET request = 'damaged'`)
  const page = { limit: 10, cursor: null }
  const { items } = await createDeliveryStore(storage.kysely, testProtect(STORE_SECRET)).inbox(
    { flowId: null, outcome: null },
    page,
  )
  expect(items).toMatchObject([{ outcome: 'accepted', runId: id }])
  const filter = { flowId: null, status: null, since: null, until: null }
  expect((await createRunStore(storage.kysely).list(filter, page)).items).toMatchObject([{ id }])
  await storage.close()
})

it('writes a step once that began and ended since the last write', async () => {
  const storage = await openSqlite(folder())
  const journal = createSqliteRunJournal(storage, testProtect(STORE_SECRET))
  const claim = journal.runs.begin!(newRun('flow'), { concurrency: null, awaited: false, route: null })!
  await journal.record(claim, {
    status: 'succeeded',
    startedAt: 1,
    finishedAt: 2,
    resumeAt: null,
    error: null,
    entries: [entry('a', { status: 'running', outcome: null, output: null }), entry('a/b', { seq: 2 }), entry('a')],
  })
  const rows = storage.raw.prepare('SELECT rowid, path, status FROM step ORDER BY rowid').all()
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { rowid: 1, path: 'a', status: 'succeeded' },
    { rowid: 2, path: 'a/b', status: 'succeeded' },
  ])
  await storage.close()
})

it('settles what the thread has committed within one turn of the event loop, when it is told to look', async () => {
  let syncs = 0
  const storage = await openSqlite(folder(), () => syncs++)
  const missing = ['updateRun', [1, 'running', 1, null, null, null, 'run_none', 0]] as const
  const write = () => storage.hot.write([[missing[0], [...missing[1]]]])
  // After this write the thread is up.
  await write()
  expect(syncs).toBe(1)
  const written = write()
  const deadline = performance.now() + 10_000
  while (syncs < 2 && performance.now() < deadline) storage.hot.look()
  expect(syncs).toBe(2)
  expect(await written).toBe(0)
  await storage.close()
})

describe('the embedded database', () => {
  it('is durable: write-ahead log, synced at every commit', async () => {
    const storage = await openSqlite(folder())
    expect(storage.raw.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(storage.raw.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
    await storage.close()
  })

  it('starts without reading through finished runs, or those that wait', async () => {
    const storage = await openSqlite(folder())
    storage.raw.exec(`INSERT INTO run (id, flow_id, version, status, test, epoch, attempt, hops, created_at, request, raw_body)
      VALUES ('run_a', 'flow_a', 1, 'waiting', 0, 1, 1, 0, 1, '{}', '')`)
    const asked: string[] = []
    const prepare = storage.raw.prepare.bind(storage.raw)
    storage.raw.prepare = (text) => {
      asked.push(text)
      return prepare(text)
    }
    const runs = createRunStore(storage.kysely)
    await runs.countRecovered()
    await runs.active('running', 'run_a', 10)
    await runs.waitingVersions()
    await runs.waiting({ flowId: 'flow_a', version: 1 }, 'run_a', 10)
    await runs.due(1, 10)
    expect(asked).toHaveLength(8)
    for (const text of asked) {
      const values = [...text.matchAll(/\?/g)].map(() => 1)
      const plan = prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)
      // The first row of an index takes one look at its beginning; a pair is searched by its first half only.
      const first = text.endsWith('order by "flow_id", "version" limit ?')
        ? '|SCAN run USING COVERING INDEX run_waiting'
        : ''
      // Runs that wait for a callback hold no place: their steps are looked at.
      const steps = text.includes('"step"')
        ? '; CORRELATED SCALAR SUBQUERY \\d; SEARCH step USING INDEX sqlite_autoindex_step_1 \\(run_id=\\?\\)'
        : ''
      const expected = new RegExp(
        `^(SEARCH run USING (COVERING )?INDEX run_(active|waiting|due) \\([^(]+\\)${steps}${first})$`,
      )
      expect(plan.map(({ detail }) => detail).join('; ')).toMatch(expected)
    }
    await storage.close()
  })

  it('lists runs by an index that holds what matches, in their order', async () => {
    const storage = await openSqlite(folder())
    const asked: string[] = []
    const prepare = storage.raw.prepare.bind(storage.raw)
    storage.raw.prepare = (text) => {
      asked.push(text)
      return prepare(text)
    }
    const runs = createRunStore(storage.kysely)
    const plans: Record<string, Set<string>> = {}
    for (const flowId of [null, 'flow_a'])
      for (const status of [null, 'queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const)
        for (const [since, cursor] of [
          [null, null],
          [1, null],
          [null, 'run_x'],
          [1, 'run_x'],
        ] as const) {
          await runs.list({ flowId, status, since, until: null }, { limit: 50, cursor })
          const text = asked.pop()!
          const values = [...text.matchAll(/\?/g)].map(() => 1)
          const plan = prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)
          const key = `${flowId ?? 'every flow'}, ${status ?? 'every status'}`
          const details = plan.map(({ detail }) =>
            String(detail).replace(/^(SEARCH|SCAN) run USING INDEX (\w+).*/, '$2'),
          )
          plans[key] ??= new Set()
          plans[key].add(details.join('; '))
        }
    const primaryKey = 'sqlite_autoindex_run_1'
    expect(plans).toEqual({
      // The newest runs are most of the table: the primary key finds them.
      'every flow, every status': new Set([primaryKey]),
      'every flow, succeeded': new Set([primaryKey]),
      'flow_a, every status': new Set(['run_by_flow']),
      'flow_a, succeeded': new Set(['run_by_flow']),
      'every flow, queued': new Set(['run_active']),
      'every flow, running': new Set(['run_active']),
      'flow_a, queued': new Set(['run_active']),
      'flow_a, running': new Set(['run_active']),
      'every flow, waiting': new Set(['run_waiting_by_id']),
      'flow_a, waiting': new Set(['run_waiting_by_flow']),
      'every flow, failed': new Set(['run_failed']),
      'every flow, cancelled': new Set(['run_failed']),
      'flow_a, failed': new Set(['run_failed_by_flow']),
      'flow_a, cancelled': new Set(['run_failed_by_flow']),
    })
    await storage.close()
  })

  it('shares one transaction among what becomes ready together', async () => {
    const commits: number[] = []
    const storage = await openSqlite(folder(), (_seconds, writes) => commits.push(writes))
    await Promise.all(Array.from({ length: 50 }, () => storage.commit.write(() => 1)))
    expect(commits).toEqual([50])
    await storage.close()
  })

  it('lets one faulty write fail alone', async () => {
    const storage = await openSqlite(folder())
    storage.raw.exec('CREATE TABLE t (x INTEGER PRIMARY KEY)')
    const insert = storage.raw.prepare('INSERT INTO t VALUES (?)')
    const results = await Promise.allSettled([1, 1, 2].map((x) => storage.commit.write(() => insert.run(x).changes)))
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(storage.raw.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 2 })
    await storage.close()
  })

  it('waits for a transaction that is open across turns of the event loop', async () => {
    const storage = await openSqlite(folder())
    storage.raw.exec('CREATE TABLE t (x INTEGER)')
    let written = false
    const writing = storage.kysely.transaction().execute(async () => {
      const write = storage.commit
        .write(() => storage.raw.exec('INSERT INTO t VALUES (1)'))
        .then(() => {
          written = true
        })
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      expect(written).toBe(false)
      return { write }
    })
    await (await writing).write
    expect(written).toBe(true)
    await storage.close()
  })

  it('is refused to a second process, by name of the folder', async () => {
    const at = folder()
    const storage = await openSqlite(at)
    await expect(openSqlite(at)).rejects.toThrow(
      `The database in ${at} cannot be used: another Millrace process is using it`,
    )
    await storage.close()
    await (await openSqlite(at)).close()
  })

  it.each([
    ['its header', 0],
    ['a page in its middle', 3 * 4096],
  ])('is refused when %s is damaged, and left as it is', async (_what, offset) => {
    const at = folder()
    await (await openSqlite(at)).close()
    const file = join(at, 'millrace.db')
    const bytes = readFileSync(file)
    bytes.fill(0xa5, offset, offset + 600)
    writeFileSync(file, bytes)
    await expect(openSqlite(at)).rejects.toThrow(at)
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  it('is refused when it belongs to another program', async () => {
    const at = folder()
    const other = new DatabaseSync(join(at, 'millrace.db'))
    other.exec('CREATE TABLE theirs (x)')
    other.close()
    await expect(openSqlite(at)).rejects.toThrow('it is not a database of Millrace')
  })

  it('is refused when a newer version has written it', async () => {
    const at = folder()
    await (await openSqlite(at)).close()
    const db = new DatabaseSync(join(at, 'millrace.db'))
    db.exec(`INSERT INTO kysely_migration (name, timestamp) VALUES ('999-future', '2030-01-01')`)
    db.close()
    await expect(openSqlite(at)).rejects.toThrow('newer version of Millrace')
  })
})
