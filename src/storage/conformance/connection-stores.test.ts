// Tests on both databases that a connection keeps the flows that it is for.
import { rmSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/harness/millrace.ts'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import type { ConnectionRecord } from '../../operations/ports/connections.ts'
import { testVault } from '../../secrets/keys.testkit.ts'
import { openPostgres } from '../postgres/database.ts'
import type { Tables } from '../rows/tables.ts'
import { openSqlite } from '../sqlite/database.ts'
import { createConnectionStore } from '../stores/connection-store.ts'

const folder = temporaryFolder()
let databases: Databases | null = null
const opened: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of opened) await one.close()
  await databases?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function kept<T extends { kysely: Kysely<Tables>; close(): Promise<void> }>(opening: Promise<T>) {
  const one = await opening
  opened.push(one)
  return createConnectionStore(one.kysely, testVault(1))
}
const onPostgres = async () => {
  databases ??= await startDatabases()
  return kept(openPostgres(await databases.create()))
}

const connection = (change: Partial<ConnectionRecord> = {}): ConnectionRecord => ({
  name: 'shop',
  kind: 'bearer',
  fields: {},
  secrets: { token: 'x' },
  outside: {},
  hosts: [],
  onlyFor: null,
  revision: 1,
  createdAt: 1,
  updatedAt: 1,
  lastTest: null,
  ...change,
})

describe.each([
  ['SQLite', () => kept(openSqlite(folder))],
  ['PostgreSQL', onPostgres],
])('a connection on %s', (_name, open) => {
  it('keeps the flows and the tags that it is for, and is for all again', async () => {
    const store = await open()
    const onlyFor = { flows: ['flow_1'], tags: ['a "tag"', 'ü'] }
    expect(await store.create(connection({ onlyFor }))).toBe(true)
    expect(await store.all()).toEqual([connection({ onlyFor })])
    expect(await store.replace(connection({ revision: 2 }))).toBe(true)
    expect(await store.all()).toEqual([connection({ revision: 2 })])
  })
})
