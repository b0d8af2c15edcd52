import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from './database.ts'
import { SettlingDatabase } from './settling-database.ts'

describe('a session', () => {
  let told: string[]
  let db: SettlingDatabase
  beforeEach(() => {
    const raw = new DatabaseSync(':memory:')
    raw.exec('CREATE TABLE t (x)')
    told = []
    db = new SettlingDatabase(raw, { settle: () => told.push('settle'), awaitThread: () => told.push('await thread') })
  })

  it('has the log stored before it reads, and also waits for the thread before it writes', () => {
    db.prepare('SELECT * FROM t').all()
    expect(told.splice(0)).toEqual(['settle'])
    for (const text of ['INSERT INTO t VALUES (1)', 'update t set x = 2', '\n  DELETE FROM t']) {
      db.prepare(text).run()
      db.exec(text)
      expect(told.splice(0), text).toEqual(['await thread', 'settle', 'await thread', 'settle'])
    }
  })

  it('does so once in a transaction, at its beginning', () => {
    db.prepare('BEGIN IMMEDIATE').run()
    expect(told.splice(0)).toEqual(['await thread', 'settle'])
    db.prepare('INSERT INTO t VALUES (1)').run()
    db.prepare('SELECT * FROM t').get()
    db.exec('COMMIT')
    expect(told).toEqual([])
  })
})

it('has what the thread was given written before it writes itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  const storage = await openSqlite(folder)
  const latest = () => storage.raw.prepare('SELECT expires_at FROM dedupe').get()!['expires_at']
  // Several at once that the log does not take go to the thread, once it is there.
  const several = (from: number) =>
    [0, 1].map((i) => storage.hot.write([['takeKey', ['flow_1', 'k', 'run_1', from + i, from + i]]]))
  let last = 0
  let isByThread = false
  for (; !isByThread; last += 2) {
    const writes = Promise.all(several(last))
    storage.hot.look()
    isByThread = latest() !== last + 1
    await writes
    await nextTurn()
  }

  let isDone = false
  const writes = Promise.all(several(last)).then(() => {
    isDone = true
  })
  storage.hot.look()
  storage.raw.prepare("UPDATE dedupe SET run_id = 'run_2'").run()
  expect(latest()).toBe(last + 1)
  for (let i = 0; i < 5; i++) await Promise.resolve()
  expect(isDone, 'its answer was taken').toBe(true)
  await writes
  await storage.close()
  rmSync(folder, { recursive: true })
})
