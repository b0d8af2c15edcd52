// Runs that have begun in the log, and go on there or elsewhere.
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import type { Claim } from '../../../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import { testProtect } from '../../../secrets/keys.testkit.ts'
import { entry, newRun, running } from '../../conformance/stores.testkit.ts'
import { createRunStore } from '../../stores/run-store.ts'
import { openSqlite } from '../database.ts'
import { createSqliteRunJournal } from '../run-journal.ts'
import {
  acknowledged,
  all,
  ended,
  FLOW,
  journal,
  killed,
  log,
  logRuns,
  next,
  runOnce,
  storage,
  stored,
  useLog,
} from './logged-runs.testkit.ts'

useLog()

describe('a run that has begun', () => {
  /** Acknowledges the start of a run that goes on. */
  async function begin(): Promise<{ id: string; claim: Claim }> {
    const run = newRun(FLOW, { labels: { order: '7' } })
    const claim = journal.runs.begin!(run, { concurrency: null, awaited: false, route: null })!
    await claim.stored
    return { id: run.id, claim }
  }

  it('goes on and ends in the log', async () => {
    await logRuns(1)
    const before = stored()
    const { id, claim } = await begin()
    expect(await journal.record(claim, { ...ended, ...running, entries: [entry('before')] })).toBe(true)
    expect(await journal.record(claim, ended)).toBe(true)
    expect(stored()).toEqual(before)
    expect((await journal.ended(id))!.journal.map(({ path }) => path).toSorted()).toEqual(['a', 'before'])
    expect(await createRunStore(storage.kysely).get(id)).toMatchObject({
      status: 'succeeded',
      startedAt: 2,
      finishedAt: 3,
    })
    expect(await journal.record(claim, ended)).toBe(false)
  })

  it('is carried on by the next process if it has not ended', async () => {
    await logRuns(1)
    const { id, claim } = await begin()
    await journal.record(claim, { ...ended, ...running, entries: [entry('before')] })
    const { id: untouched } = await begin()
    const left = killed()
    await next(left)
    const other = await openSqlite(left)
    const others = createSqliteRunJournal(other, testProtect())
    expect((await others.claim(id, 9))!.journal.map(({ path }) => path)).toEqual(['before'])
    expect(await others.claim(untouched, 9)).toMatchObject({ journal: [], startedAt: 9 })
    await other.close()
    expect(stored(left).ids).toEqual([...acknowledged, id, untouched])
  })

  it('ends in the database once it is there', async () => {
    await logRuns(1)
    const { id, claim } = await begin()
    storage.hot.log.settle()
    const before = readFileSync(log)
    expect(await journal.record(claim, ended)).toBe(true)
    expect(readFileSync(log).equals(before)).toBe(true)
    acknowledged.push(id)
    expect(stored()).toEqual(all())
  })

  it('is not carried on by whoever has lost it', async () => {
    await logRuns(1)
    const { id, claim } = await begin()
    expect(await journal.record({ ...claim, writtenEpoch: 5 } as Claim, ended)).toBe(false)
    await createRunStore(storage.kysely).cancel(id, 7, { code: 'cancelled', message: 'x' })
    expect(await journal.record(claim, ended)).toBe(false)
    expect((await createRunStore(storage.kysely).get(id))!.status).toBe('cancelled')
  })

  it('is in the tables before an end that the log does not take, also while the log is being stored', async () => {
    const begun: string[] = []
    const end = { ...ended, entries: [entry('a', { output: 'x'.repeat(40_000) })] }
    await logRuns(0)
    for (let i = 0; i < 5; i++) {
      for (let n = 0; n < 60; n++) await runOnce()
      // The thread puts the log into the tables, while the next generation begins.
      vi.advanceTimersByTime(20)
      const { id, claim } = await begin()
      expect(await journal.record(claim, end)).toBe(true)
      begun.push(id)
    }
    const ids = new Set(begun)
    expect(stored().ids.filter((id) => ids.has(id))).toEqual(begun)
  })

  it('is not lost while there is no room for it', async () => {
    await logRuns(0)
    storage.raw.exec('PRAGMA max_page_count = 1')
    const { id, claim } = await begin()
    for (let i = 0; i < 10; i++) await runOnce()
    await storage.kysely.selectFrom('run').select('id').execute()
    expect(await storage.room.fault()).toBe('The database cannot be written: its disk is full.')
    for (const read of [
      journal.claim(id, 9),
      journal.claimUnread(id, 9),
      journal.ended(id),
      journal.endOf(acknowledged.at(-1)!),
    ])
      await expect(read).rejects.toThrow(StorageUnavailable)
    const operation = entry('a', { operation: { action: 'get', key: 'k', scope: 'flow' } as never })
    await expect(journal.record(claim, { ...ended, entries: [operation] })).rejects.toThrow(StorageUnavailable)
    storage.raw.exec('PRAGMA max_page_count = 1073741823')
    await vi.advanceTimersByTimeAsync(1_000)
    await storage.settled()
    expect(await journal.record(claim, ended)).toBe(true)
    expect(stored()).toEqual(all([...acknowledged, id].toSorted()))
  })
})
