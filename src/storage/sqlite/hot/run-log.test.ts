// Runs that are acknowledged from the log: they are found at once, and after a kill.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import { entry, newRun, webhook } from '../../conformance/stores.testkit.ts'
import { createRunStore } from '../../stores/run-store.ts'
import { type HotWrite, STATEMENTS } from './hot-writes.ts'
import {
  acknowledged,
  all,
  ended,
  FLOW,
  folder,
  journal,
  killed,
  LOG_BYTES,
  log,
  logRuns,
  next,
  reopen,
  runOnce,
  storage,
  stored,
  useLog,
} from './logged-runs.testkit.ts'
import { RunLog } from './run-log.ts'
import { writeOf } from './run-record.ts'

useLog()

describe('a run in the log', () => {
  it('is not in the tables, and found by whoever reads them', async () => {
    await logRuns(3)
    expect(stored()).toEqual(all(acknowledged.slice(0, -3)))
    const last = acknowledged.at(-1)!
    expect((await createRunStore(storage.kysely).get(last))!.status).toBe('succeeded')
    expect(stored()).toEqual(all())
  })

  it('is found by the journal, and inside a transaction', async () => {
    await logRuns(1)
    expect((await journal.ended(acknowledged.at(-1)!))!.journal).toHaveLength(1)
    await runOnce()
    const before = readFileSync(log)
    let during: Promise<string>
    await storage.together.run(async () => {
      expect(stored()).toEqual(all())
      during = runOnce()
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
    })
    await during!
    expect(readFileSync(log).equals(before), 'while a transaction is open, the log takes nothing').toBe(true)
    expect(stored()).toEqual(all())
  })

  it('gets into the tables by itself', async () => {
    await logRuns(2)
    await vi.advanceTimersByTimeAsync(20)
    await vi.waitFor(() => expect(stored()).toEqual(all()))
  })

  it('is stored before what follows it and does not go into the log', async () => {
    await logRuns(1)
    const run = newRun(FLOW, { labels: { order: '7' } })
    await journal.runs.accept(run, { key: 'k', expiresAt: 1 })
    expect(stored().ids).toEqual([...acknowledged, run.id])
  })

  it('is in the tables after a stop, which leaves no log behind', async () => {
    await logRuns(5)
    await storage.close()
    expect(stored()).toEqual(all())
    expect(existsSync(log)).toBe(false)
    await reopen()
  })

  it('is in the tables when there are many', async () => {
    await logRuns(1_000)
    storage.hot.log.settle()
    expect(stored()).toEqual(all())
  })

  it('goes to the tables at once if it is large', async () => {
    await logRuns(0)
    await runOnce({ webhook: webhook('x'.repeat(40_000)) })
    expect(stored()).toEqual(all())
  })

  it('stays in the log until there is room for it, and nobody is kept from reading', async () => {
    await logRuns(0)
    storage.raw.exec('PRAGMA max_page_count = 1')
    for (let i = 0; i < 10; i++) await runOnce()
    expect((await createRunStore(storage.kysely).get(acknowledged[0]!))!.status).toBe('succeeded')
    expect(await storage.room.fault()).toBe('The database cannot be written: its disk is full.')
    expect(stored()).toEqual(all(acknowledged.slice(0, -10)))
    // The log takes no more until then.
    await expect(runOnce()).resolves.toBeTruthy()
    storage.raw.exec('PRAGMA max_page_count = 1073741823')
    await vi.advanceTimersByTimeAsync(1_000)
    await storage.settled()
    expect(stored()).toEqual(all())
  })

  it('is not missing in silence from a backup', async () => {
    await logRuns(0)
    storage.raw.exec('PRAGMA max_page_count = 1')
    for (let i = 0; i < 10; i++) await runOnce()
    await expect(storage.settled()).rejects.toThrow('Runs that are acknowledged cannot be put into the database.')
  })

  it('is not in the log if it could not be written there, and the next go to the database', () => {
    const broken = {
      begin() {},
      append() {
        throw new Error('EIO')
      },
      close() {},
    }
    const runs = new RunLog(broken as never, 7)
    const write: HotWrite = [['insertRun', ['run_1', 1, 'succeeded', 2, 3]]]
    expect(runs.append([write])).toBe(false)
    // There may be a record of it, which must not be taken by the next process.
    expect(runs.isEmpty).toBe(false)
    expect(writeOf(runs.take()!)).toEqual([['markLog', [7, 1]]])
    runs.stored()
    expect(runs.isEmpty).toBe(true)
    broken.append = () => true as never
    expect(runs.append([write])).toBe(false)
  })

  it('of a generation that found no room is stored with those of the next', () => {
    const file = { begin() {}, append: () => true, close() {} }
    const runs = new RunLog(file as never, 7)
    const write = (id: string): HotWrite => [['insertRun', [id, 1, 'succeeded', 2, 3]]]
    runs.append([write('run_1')])
    const taken = runs.take()!
    runs.append([write('run_2')])
    runs.failed()
    expect(runs.append([write('run_3')])).toBe(false)
    expect(runs.take()).toBe(taken)
    runs.stored()
    expect(writeOf(runs.take()!)).toEqual([...write('run_2'), ['markLog', [7, 2]]])
  })

  it('is there with all that came with it, or none of them is', () => {
    const told: (readonly string[])[] = []
    const file = { begin() {}, append: (texts: readonly string[]) => told.push(texts), close() {} }
    const runs = new RunLog(file as never, 7)
    const begin = (id: string): HotWrite => [['insertRun', [id, 0, 'running', 1, null]]]
    const end = (id: string): HotWrite => [['updateRun', [1, 'succeeded', 1, 2, null, null, id, 0]]]
    expect(runs.append([begin('run_1'), begin('run_2')])).toBe(true)
    expect(runs.append([begin('run_3'), [['markToErase', ['run_1']]]])).toBe(false)
    expect(runs.append([end('run_1'), end('run_elsewhere')])).toBe(false)
    // Each counts on what the one before it has changed.
    expect(runs.append([end('run_1'), end('run_1')])).toBe(false)
    expect(runs.append([end('run_1'), end('run_2')])).toBe(true)
    expect(told.map((texts) => texts.length)).toEqual([2, 2])
    const written = ['run_1', 'run_2'].flatMap(begin).concat(['run_1', 'run_2'].flatMap(end))
    expect(writeOf(runs.take()!).slice(0, -1)).toEqual(written)
  })

  it('is found by the next process if there was no room for it until the stop', async () => {
    await logRuns(0)
    storage.raw.exec('PRAGMA max_page_count = 1')
    for (let i = 0; i < 10; i++) await runOnce()
    await storage.close()
    expect(stored()).toEqual(all(acknowledged.slice(0, -10)))
    await reopen()
    expect(stored()).toEqual(all())
  })
})

it('is stored as a whole or not at all', async () => {
  const run = newRun(FLOW)
  const lost: HotWrite = [['updateRun', [1, 'succeeded', 1, 2, null, null, 'run_lost', 0]]]
  const inserted: HotWrite = [
    ['markToErase', [run.id]],
    ['markLog', [1, 1]],
  ]
  await journal.runs.accept(run)
  await expect(storage.hot.write([...inserted.slice(0, 1), ...lost, ...inserted.slice(1)])).rejects.toThrow(
    'Record 2 of the log of runs, updateRun, changes nothing.',
  )
  const { erased } = storage.raw.prepare('SELECT erased FROM run WHERE id = ?').get(run.id)!
  expect(erased).toBeNull()
})

it('leaves a run alone that could not be stored, if its first step keeps something', async () => {
  storage.raw.exec('PRAGMA max_page_count = 1')
  const run = newRun(FLOW, { webhook: webhook('x'.repeat(20_000)) })
  const claim = journal.runs.begin!(run, { concurrency: null, awaited: false, route: null })!
  await expect(claim.stored).rejects.toThrow(StorageUnavailable)
  storage.raw.exec('PRAGMA max_page_count = 1073741823')
  const operation = { action: 'get', key: 'k', scope: 'flow' }
  expect(await journal.record(claim, { ...ended, entries: [entry('a', { operation: operation as never })] })).toBe(
    false,
  )
})

describe('after a kill', () => {
  it('all that was acknowledged is there once, and counted once', async () => {
    await logRuns(7)
    const left = killed()
    expect(stored(left)).toEqual(all(acknowledged.slice(0, -7)))
    await next(left)
    expect(stored(left)).toEqual(all())
    expect(existsSync(join(left, 'millrace.runs'))).toBe(false)
    await next(left)
    expect(stored(left)).toEqual(all())
  })

  it('all of those are there that were written together', async () => {
    await logRuns(0)
    const before = acknowledged.length
    await Promise.all(Array.from({ length: 6 }, () => runOnce()))
    const left = killed()
    expect(placesOf(readFileSync(log))).toHaveLength(6)
    expect(stored(left)).toEqual(all(acknowledged.slice(0, before)))
    await next(left)
    expect(stored(left)).toEqual(all(acknowledged.toSorted()))
  })

  it('a kill of the next process, before it has removed the log, changes nothing', async () => {
    await logRuns(7)
    const left = killed()
    await next(left)
    copyFileSync(log, join(left, 'millrace.runs'))
    await next(left)
    expect(stored(left)).toEqual(all())
  })

  it('a record that was not written to its end counts as none', async () => {
    await logRuns(7)
    const left = killed()
    const bytes = readFileSync(log)
    // The last of the records: from the place where the seventh begins.
    const last = placesOf(bytes).at(-1)!
    for (const damage of [
      () => bytes.fill(0, last + 4, last + 8),
      () => bytes.fill(0, last + 30, last + 40),
      () => bytes.writeUInt32LE(0xffff_ffff, last),
      () => bytes.fill(0, last),
    ]) {
      damage()
      writeFileSync(join(left, 'millrace.runs'), bytes)
      const copy = `${left}-${last}`
      cpSync(left, copy, { recursive: true })
      await next(copy)
      expect(stored(copy)).toEqual(all(acknowledged.slice(0, -1)))
      rmSync(copy, { recursive: true })
    }
  })

  it('the log of another database, or of one that was put back, is not taken', async () => {
    const before = join(folder, 'before')
    mkdirSync(before)
    for (const name of ['millrace.db', 'millrace.db-wal']) copyFileSync(join(folder, name), join(before, name))
    await logRuns(7)
    copyFileSync(log, join(before, 'millrace.runs'))
    await next(before)
    expect(stored(before).ids).toEqual([])
    expect(existsSync(join(before, 'millrace.runs'))).toBe(false)
  })

  it('the log of another process is not taken', async () => {
    await logRuns(7)
    const left = killed()
    const db = new DatabaseSync(join(left, 'millrace.db'))
    db.exec('UPDATE run_log SET salt = salt - 1')
    db.close()
    await next(left)
    expect(stored(left)).toEqual(all(acknowledged.slice(0, -7)))
  })

  it('a run that is in the tables already is stored once', async () => {
    await logRuns(3)
    const left = killed()
    const db = new DatabaseSync(join(left, 'millrace.db'))
    const columns = `flow_id, version, epoch, status, test, attempt, hops, request, raw_body, created_at`
    db.exec(`INSERT INTO run (id, ${columns}) SELECT '${acknowledged.at(-2)!}', ${columns} FROM run LIMIT 1`)
    db.close()
    await next(left)
    expect(stored(left).ids).toEqual(acknowledged)
  })
})

it('what the log holds can be read by the version that wrote it: a change of these statements needs a new kind of record', () => {
  const { insertRun, putStep, updateRun } = STATEMENTS
  const columns = (text: string) => text.replaceAll(/\s+/g, ' ').replace(/ VALUES .*/, '')
  expect([insertRun, putStep, updateRun].map(columns)).toMatchInlineSnapshot(`
    [
      "INSERT INTO run (id, epoch, status, started_at, finished_at, resume_at, error, flow_id, version, document, test, attempt, hops, reply_status, request, raw_body, created_at, replay_of, sealed, trigger, parent_run, parent_step, parent_waits, labels)",
      "INSERT OR REPLACE INTO step (run_id, path, id, kind, seq, status, attempt, started_at, finished_at, outcome, decision, resume_at, input, output, error, logs, sealed, attempts)",
      "UPDATE run SET epoch = ?, status = ?, started_at = ?, finished_at = ?, resume_at = ?, error = ? WHERE id = ? AND epoch = ? AND status IN ('queued', 'running', 'waiting')",
    ]
  `)
})

/** Returns where the records of the generation that was written last begin. */
function placesOf(bytes: Buffer): number[] {
  const halves = [0, LOG_BYTES / 2].map((start) => {
    const generation = bytes.readUInt32LE(start + 12)
    const places: number[] = []
    for (let at = start; bytes.readUInt32LE(at) > 0 && bytes.readUInt32LE(at + 12) === generation; ) {
      places.push(at)
      at += 20 + bytes.readUInt32LE(at)
    }
    return { generation, places }
  })
  return halves.toSorted((a, b) => a.generation - b.generation).at(-1)!.places
}
