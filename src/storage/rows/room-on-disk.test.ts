// Tests that /readyz reports a database that takes no writes, and stops when it takes them again.
import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/harness/millrace.ts'
import { type Databases, query, startDatabases } from '../../../test/harness/postgres.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import { openPostgres, type PostgresStorage } from '../postgres/database.ts'
import { openSqlite, type SqliteStorage } from '../sqlite/database.ts'
import { writeAndErase } from './room-on-disk.ts'

describe('SQLite', () => {
  let folder: string
  let storage: SqliteStorage
  beforeEach(async () => {
    folder = temporaryFolder()
    storage = await openSqlite(folder)
  })
  afterEach(async () => {
    await storage.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('that finds no room for what it does together has done none of it', async () => {
    storage.raw.exec('PRAGMA max_page_count = 1')
    const both = storage.together.run(async () => {
      await storage.kysely.insertInto('set_up').values({ id: 1, at: 0 }).execute()
      await writeAndErase(storage.kysely)
    })
    await expect(both).rejects.toBeInstanceOf(StorageUnavailable)
    storage.raw.exec('PRAGMA max_page_count = 1073741823')
    expect(await storage.kysely.selectFrom('set_up').selectAll().execute()).toEqual([])
  })

  it('that is full says so until a write of our own fits again', async () => {
    expect(await storage.room.fault()).toBeNull()
    // The limit is below the present number of pages, so that the file cannot grow.
    storage.raw.exec('PRAGMA max_page_count = 1')
    await expect(writeAndErase(storage.kysely)).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await storage.room.fault()).toBe('The database cannot be written: its disk is full.')
    storage.raw.exec('PRAGMA max_page_count = 1073741823')
    await vi.waitFor(async () => expect(await storage.room.fault()).toBeNull(), { timeout: 5_000 })
    expect(await storage.kysely.selectFrom('dedupe').selectAll().execute()).toEqual([])
  })
})

describe('PostgreSQL', () => {
  let databases: Databases
  let url: string
  let storage: PostgresStorage
  beforeAll(async () => {
    databases = await startDatabases()
    url = await databases.create()
    storage = await openPostgres(url)
  })
  afterAll(async () => {
    await storage.close()
    await databases.stop()
  })

  it('whose disk is full says so until a write of our own fits again', async () => {
    expect(await storage.fault()).toBeNull()
    await query(
      url,
      `create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`,
    )
    await query(url, 'create trigger refuse before insert on dedupe execute function refuse()')
    await expect(writeAndErase(storage.kysely)).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await storage.fault()).toBe('The database cannot be written: its disk is full.')
    await query(url, 'drop trigger refuse on dedupe')
    await vi.waitFor(async () => expect(await storage.fault()).toBeNull(), { timeout: 5_000 })
  })

  it('that has become read-only says so', async () => {
    const name = new URL(url).pathname.slice(1)
    const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    await query(url, `alter database "${name}" set default_transaction_read_only = on`)
    await query(url, others)
    await vi.waitFor(
      async () => expect(await storage.fault()).toBe('The database cannot be written: it is read-only.'),
      10_000,
    )
  })
})
