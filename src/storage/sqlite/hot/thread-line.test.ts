import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
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
