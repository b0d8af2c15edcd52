// Tests what the server releases when a process stands still, is gone, or does not read; and that long work may continue.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Databases, query, startDatabases } from '../../../../test/harness/postgres.ts'
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import { openPostgres, type PostgresStorage } from '../database.ts'

let databases: Databases
let url: string
let storage: PostgresStorage
let other: pg.Client
beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.create()
  storage = await openPostgres(url)
  await query(url, 'create table held (id int primary key, n int)')
  await query(url, 'insert into held values (1, 0)')
  other = new pg.Client({ connectionString: url })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await storage.close()
  await databases.stop()
})

const LOCK = { text: 'select 1 from held for update', values: [] }

describe('a transaction that stands still', { timeout: 30_000 }, () => {
  it('is ended by the server, so that others go on, and fails as "not now" in its process', async () => {
    const held = Promise.withResolvers<void>()
    const awake = Promise.withResolvers<void>()
    const stuck = storage.hot.transaction(async (ask) => {
      await ask(LOCK)
      held.resolve()
      await awake.promise
      return ask(LOCK)
    })
    await held.promise
    await other.query('update held set n = n + 1')
    awake.resolve()
    await expect(stuck).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await storage.hot.query({ text: 'select n from held', values: [] })).toEqual([{ n: 1 }])
  })

  it('is ended too where it is one of the API', async () => {
    const held = Promise.withResolvers<void>()
    const awake = Promise.withResolvers<void>()
    const stuck = storage.kysely.transaction().execute(async (tx) => {
      await tx.insertInto('set_up').values({ id: 1, at: 0 }).execute()
      held.resolve()
      await awake.promise
      await tx.deleteFrom('set_up').execute()
    })
    await held.promise
    await other.query('insert into set_up (id, at) values (1, 1)')
    awake.resolve()
    await expect(stuck).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await storage.kysely.selectFrom('set_up').selectAll().execute()).toHaveLength(1)
  })
})

describe('a client that is gone', { timeout: 30_000 }, () => {
  it('leaves no statement behind that waits for a lock', async () => {
    await other.query('begin')
    await other.query(LOCK.text)
    // This session's statements have no time limit.
    const gone = await storage.connect({ patient: true })
    const waiting = gone.query(`${LOCK.text} /* gone */`).catch(() => {})
    const left = async () =>
      (await query(url, `select 1 from pg_stat_activity where query like '%/* gone */' and pid <> pg_backend_pid()`))
        .length
    await vi.waitFor(async () => expect(await left()).toBe(1), 10_000)
    ;(gone as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    await waiting
    await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 20_000 })
    await other.query('rollback')
  })
})

describe('a client that does not read', { timeout: 30_000 }, () => {
  it('is given up when an answer does not fit on the way, and keeps nothing locked', async () => {
    const deaf = await storage.connect()
    const { stream } = (deaf as unknown as { connection: { stream: { pause(): void; destroy(): void } } }).connection
    stream.pause()
    const unread = deaf
      .query(`update held set n = n + 1 returning repeat(md5(random()::text), 2000000)`)
      .catch(() => 'failed')
    const writing = () => query(url, `select 1 from pg_stat_activity where wait_event = 'ClientWrite'`)
    await vi.waitFor(async () => expect(await writing()).toHaveLength(1), { timeout: 10_000 })
    await other.query('update held set n = -1')
    expect((await other.query('select n from held')).rows).toEqual([{ n: -1 }])
    stream.destroy()
    expect(await unread).toBe('failed')
  })
})

describe('work that takes its time', () => {
  it('is given as long as it needs where it changes the schema or moves a whole database', async () => {
    const patient = await storage.connect({ patient: true })
    expect((await patient.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
    await patient.end()
  })

  it('is given a minute where it is no part of the hot path', async () => {
    expect(await storage.steady.query({ text: 'show statement_timeout', values: [] })).toEqual([
      { statement_timeout: '1min' },
    ])
  })
})
