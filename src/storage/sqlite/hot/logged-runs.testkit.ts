// What the tests of the log of runs share: a database whose log is in use, at a time that stands still.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { testProtect } from '../../../secrets/keys.testkit.ts'
import { endedWith, entry, newRun } from '../../conformance/stores.testkit.ts'
import { openSqlite, type SqliteStorage } from '../database.ts'
import { createSqliteRunJournal } from '../run-journal.ts'

export const FLOW = 'flow_logged'
/** The log begins after so many single writes in a row. */
const BEFORE_LOG = 64
/** The size of the log: two halves. */
export const LOG_BYTES = 1024 * 1024

export let folder: string
export let log: string
export let storage: SqliteStorage
export let journal: ReturnType<typeof createSqliteRunJournal>
/** The runs that were acknowledged. */
export let acknowledged: string[]

/** Gives each test of a file a database of its own. */
export function useLog(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-log-'))
    log = join(folder, 'millrace.runs')
    storage = await openSqlite(folder)
    journal = createSqliteRunJournal(storage, testProtect())
    acknowledged = []
    // Time stands still, so that runs stay in the log until somebody reads, and no disk is too slow for it.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await storage.close()
    rmSync(folder, { recursive: true })
  })
}

/** Opens the folder again, which was closed. */
export async function reopen(): Promise<void> {
  storage = await openSqlite(folder)
}

export const ended = endedWith(entry('a', { output: { text: '{"é":"\u0000\ud800𝄞"}' } }))

/** Stores a run from its start to its end in one write. */
export async function runOnce(change: Parameters<typeof newRun>[1] = {}): Promise<string> {
  const run = newRun(FLOW, { labels: { order: '7' }, ...change })
  const claim = journal.runs.begin!(run, { concurrency: null, awaited: false, route: null })!
  expect(await journal.record(claim, ended)).toBe(true)
  acknowledged.push(run.id)
  return run.id
}

/** Has the log begin, and so many runs be in it and not in the database. The thread is there then. */
export async function logRuns(count: number): Promise<void> {
  const threadIsUp = new Promise((resolve) => {
    process.once('worker', (thread) => thread.once('message', resolve))
  })
  for (let i = 0; i < BEFORE_LOG; i++) await runOnce()
  while (!recorded()) {
    await runOnce()
    await new Promise((resolve) => setImmediate(resolve))
  }
  // It does not share what a test does to the session here, such as a lack of room.
  await threadIsUp
  storage.hot.log.settle()
  for (let i = 0; i < count; i++) await runOnce()
}

/** Returns whether there are records in the log. */
function recorded(): boolean {
  if (!existsSync(log) || statSync(log).size < LOG_BYTES) return false
  const bytes = readFileSync(log)
  return bytes.readUInt32LE(0) + bytes.readUInt32LE(LOG_BYTES / 2) > 0
}

/** Copies what a kill at this moment would leave behind. */
export function killed(): string {
  const copy = join(folder, 'killed')
  mkdirSync(copy)
  for (const name of ['millrace.db', 'millrace.db-wal', 'millrace.runs'])
    copyFileSync(join(folder, name), join(copy, name))
  return copy
}

/** Returns what another session sees, which puts nothing into the database. */
export function stored(at = folder) {
  const db = new DatabaseSync(join(at, 'millrace.db'), { readOnly: true })
  const ids = db.prepare('SELECT id FROM run ORDER BY id').all() as { id: string }[]
  const steps = db.prepare('SELECT count(*) AS n, count(DISTINCT output) AS outputs FROM step').get()
  const counts = db.prepare('SELECT counter, sum(count) AS n FROM flow_delta GROUP BY 1 ORDER BY 1').all()
  const labels = db.prepare('SELECT count(*) AS n FROM run WHERE labels IS NOT NULL').get()
  db.close()
  return { ids: ids.map(({ id }) => id), steps: { ...steps }, counts: counts.map(({ n }) => n), labels: labels!['n'] }
}

export const all = (ids = acknowledged) => ({
  ids,
  steps: { n: ids.length, outputs: 1 },
  counts: [ids.length, ids.length],
  labels: ids.length,
})

/** Opens the folder as the next process does, and closes it. */
export async function next(at: string): Promise<void> {
  await (await openSqlite(at)).close()
}
