// Labels get into their index many at a time; whoever looks for them finds all.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { testProtect } from '../../../secrets/keys.testkit.ts'
import { newRun } from '../../conformance/stores.testkit.ts'
import { createFailureStore } from '../../stores/failures/failure-store.ts'
import { createReplayStore } from '../../stores/failures/replay-store.ts'
import { createRunStore } from '../../stores/run-store.ts'
import { openSqlite, type SqliteStorage } from '../database.ts'
import { createSqliteRunJournal } from '../run-journal.ts'

let folder: string
let storage: SqliteStorage

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-late-'))
  storage = await openSqlite(folder)
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const page = { limit: 5_000, cursor: null }
const filter = { flowId: null, status: null, since: null, until: null }
const labels = { order: '7' }

async function accept(count: number): Promise<string[]> {
  const { runs } = createSqliteRunJournal(storage, testProtect())
  const made = Array.from({ length: count }, () => newRun('flow_late', { labels }))
  for (const run of made) await runs.accept(run)
  return made.map(({ id }) => id)
}
const found = async () =>
  (await createRunStore(storage.kysely).list({ ...filter, labels }, page)).items.map(({ id }) => id).toSorted()
const rows = (table: string) => storage.raw.prepare(`SELECT * FROM ${table}`).all().length

it('finds those that are late, by each way to look', async () => {
  const ids = await accept(3)
  // On most machines two of them are late now: a second that passes in between adds them, too.
  expect(await found()).toEqual(ids.toSorted())
  expect(rows('run_label')).toBe(3)
  expect(rows('late_label')).toBe(0)

  const selection = { flowId: null, failure: null, since: null, until: null, labels, replays: true }
  const looks = [
    async () => (await createRunStore(storage.kysely).labelsLike('7', 9)).length === 1,
    async () =>
      (await createReplayStore(storage.kysely).select({ ...selection, statuses: ['queued'] }, null, 99)).length > 3,
    async () => (await createFailureStore(storage.kysely).list({ labels } as never, page, 1)).items.length === 0,
  ]
  for (const look of looks) {
    await accept(1)
    expect(await look()).toBe(true)
    expect(rows('late_label')).toBe(0)
  }
})

it('finds what a process left that ended', async () => {
  const ids = await accept(3)
  await storage.close()
  storage = await openSqlite(folder)
  expect(await found()).toEqual(ids.toSorted())
})

it('adds those of a run with a long body at once, and does not read past such a body', async () => {
  await accept(1)
  const { runs } = createSqliteRunJournal(storage, testProtect())
  const long = newRun('flow_late', { labels })
  long.webhook!.rawBody = JSON.stringify('x'.repeat(100_000))
  await runs.accept(long)
  const isIn = () => storage.raw.prepare('SELECT 1 FROM run_label WHERE run_id = ?').all(long.id).length === 1
  expect(isIn()).toBe(true)
  storage.raw.prepare('DELETE FROM run_label WHERE run_id = ?').run(long.id)
  await accept(1)
  expect(await found()).toHaveLength(2)
  expect(isIn()).toBe(false)
})

it('leaves out runs that are gone', async () => {
  const [first, second, third] = await accept(3)
  storage.raw.prepare('DELETE FROM run WHERE id = ?').run(third!)
  expect(await found()).toEqual([first!, second!].toSorted())
  expect(rows('run_label')).toBe(2)
})

it('adds them by itself once there are many', async () => {
  await accept(2_100)
  // Each of the two threads that write may have a thousand late.
  expect(rows('run_label')).toBeGreaterThanOrEqual(100)
})
