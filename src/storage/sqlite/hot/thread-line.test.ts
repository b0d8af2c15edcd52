import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { expect, it, vi } from 'vitest'
import { openSqlite } from '../database.ts'
import { ThreadLine } from './thread-line.ts'

it('is ready when the thread has opened the database: whoever reads would wait for that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  const storage = await openSqlite(folder)
  await storage.close()
  const file = join(folder, 'millrace.db')
  const other = new DatabaseSync(file)
  other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')

  const line = new ThreadLine(file)
  const starting = once(process, 'worker')
  expect(line.ready()).toBe(false)
  const [thread] = (await starting) as [Worker]
  await once(thread, 'online')
  await nextTurn()
  expect(line.ready()).toBe(false)

  other.exec('COMMIT')
  other.close()
  while (!line.ready()) await nextTurn()
  await line.close()
  rmSync(folder, { recursive: true })
})

it('tells the thread when somebody waits for more than the runs of the log, until all is answered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  const storage = await openSqlite(folder)
  await storage.close()
  const line = new ThreadLine(join(folder, 'millrace.db'))
  while (!line.ready()) await nextTurn()
  const notified = vi.spyOn(Atomics, 'notify')
  const toldThat = () => notified.mock.calls.map(([awaited]) => Number(awaited[0]))
  let answers = 0
  const answered = () => {
    answers++
  }

  line.send({ records: [], mark: ['markLog', [1, 1]] }, answered)
  expect(toldThat()).toEqual([])
  line.send([[['markLog', [1, 2]]]], answered)
  expect(toldThat()).toEqual([1])
  line.await(() => answers === 2)
  expect(toldThat().every((isWaiting) => isWaiting === 0)).toBe(true)

  line.send({ records: [], mark: ['markLog', [1, 3]] }, answered)
  line.await(() => answers === 3)
  expect(notified.mock.calls.length).toBeGreaterThan(1)
  expect(toldThat().every((isWaiting) => isWaiting === 0)).toBe(true)
  notified.mockRestore()
  await line.close()
  rmSync(folder, { recursive: true })
})
