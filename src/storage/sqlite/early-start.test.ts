// Runs that begin before their start is stored.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { endedWith, entry, newRun } from '../conformance/stores.testkit.ts'
import { createRunStore } from '../stores/run-store.ts'
import { openSqlite, type SqliteStorage } from './database.ts'
import { createSqliteRunJournal } from './run-journal.ts'

let folder: string
let storage: SqliteStorage
let journal: ReturnType<typeof createSqliteRunJournal>
let syncs: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-early-'))
  syncs = 0
  storage = await openSqlite(folder, () => syncs++)
  journal = createSqliteRunJournal(storage, testProtect())
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const begin = (run: NewRun) => journal.runs.begin!(run, { concurrency: null, awaited: false, route: null })!

const ended = endedWith(entry('a', { output: { n: 1 } }))
const stored = async (id: string) => {
  const runs = createRunStore(storage.kysely)
  return { run: await runs.get(id), steps: (await runs.steps(id)).map(({ path, output }) => ({ path, output })) }
}
const succeeded = {
  run: { status: 'succeeded', startedAt: 2, finishedAt: 3, error: null, labels: { order: '7' } },
  steps: [{ path: 'a', output: { n: 1 } }],
}

it('are one write with what they did before it was sent', async () => {
  const run = newRun('flow_early', { labels: { order: '7' } })
  const claim = begin(run)
  expect(await journal.record(claim, ended)).toBe(true)
  await claim.stored
  expect(await stored(run.id)).toMatchObject(succeeded)
  expect(syncs).toBe(1)
  const labels = storage.raw.prepare('SELECT value, name, run_id FROM run_label').all()
  expect(labels).toEqual([{ value: '7', name: 'order', run_id: run.id }])
  const counted = storage.raw.prepare('SELECT counter, count FROM flow_delta ORDER BY counter').all()
  expect(counted).toMatchObject([
    { counter: 'accepted', count: 1 },
    { counter: 'succeeded', count: 1 },
  ])
})

it('are written in order with what they do later, also by another connection', async () => {
  const run = newRun('flow_late', { labels: { order: '7' } })
  const claim = begin(run)
  storage.hot.look()
  expect(await journal.record(claim, ended)).toBe(true)
  expect(await stored(run.id)).toMatchObject(succeeded)
  expect(syncs).toBe(2)

  const other = newRun('flow_late')
  const operation = { op: 'set', key: 'k', value: 1, ttlMs: null } as never
  const operating = entry('kept', { operation, output: null })
  expect(await journal.record(begin(other), { ...ended, entries: [operating] })).toBe(true)
  expect((await stored(other.id)).run).toMatchObject({ status: 'succeeded' })
})

it('come to nothing if their start cannot be stored', async () => {
  const run = newRun('flow_twice')
  await journal.runs.accept(run)
  const claim = begin(run)
  const recording = journal.record(claim, ended)
  await expect(claim.stored).rejects.toThrow()
  await expect(recording).rejects.toThrow()
  expect((await stored(run.id)).run).toMatchObject({ status: 'queued' })
  const gone = newRun('flow_twice', { id: run.id })
  const second = begin(gone)
  storage.hot.look()
  await expect(second.stored).rejects.toThrow()
  storage.raw.exec('DELETE FROM run')
  expect(await journal.record(second, ended)).toBe(false)
})
