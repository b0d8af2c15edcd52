import { beforeEach, describe, expect, it } from 'vitest'
import type { HotWrite } from './hot-writes.ts'
import type { RunLog } from './run-log.ts'
import { WritesHere } from './writes-here.ts'

const ONE: HotWrite[] = [[]]
const several = (count: number): HotWrite[] => Array.from({ length: count }, () => [])
const db = { isTransaction: false }
const noLog = () => Promise.reject(new Error('no room'))
let seconds: number
let here: WritesHere
beforeEach(() => {
  seconds = 0.000_1
  here = new WritesHere(db as never, () => ({ seconds, results: [0] }), noLog)
})

/** Returns how many of so many single writes are done here. */
const doneHere = (count: number) => Array.from({ length: count }, () => here.tryBatch(ONE)).filter(Boolean).length

describe('single writes', () => {
  it('are done here, but for one of 64', () => {
    expect(doneHere(640)).toBe(630)
  })

  it.each([2, 9])('go to the other thread for a while after %i at once', (count) => {
    expect(here.tryBatch(several(count))).toBeNull()
    expect(doneHere(15)).toBe(0)
    expect(doneHere(1)).toBe(1)
  })

  it('go to the other thread for long where the disk is slow', () => {
    seconds = 0.003
    expect(doneHere(1_000)).toBeLessThan(40)
  })

  it('stay here if one of them stands still now and then', () => {
    let done = 0
    for (let i = 0; i < 50; i++) {
      seconds = 0.2
      done += doneHere(1)
      seconds = 0.000_1
      done += doneHere(19)
    }
    expect(done).toBeGreaterThan(950)
  })

  it('go to the other thread if they are large', () => {
    const ofChars = (count: number): HotWrite[] => [
      [
        ['setEdited', ['x'.repeat(count)]],
        ['setEdited', ['run_1']],
      ],
    ]
    expect(here.tryBatch(ofChars(100_000))).not.toBeNull()
    expect(here.tryBatch(ofChars(150_000))).toBeNull()
    expect(here.doBatch(ofChars(150_000))).toBeNull()
  })

  it('go to the other thread if they change a run whose row is large', () => {
    const insert = (id: string, body: string): HotWrite => [['insertRun', [id, body]]]
    const update = (id: string): HotWrite[] => [[['updateRun', [1, 'succeeded', null, null, null, null, id, 0]]]]
    expect(here.tryBatch([insert('run_small', ''), insert('run_large', 'x'.repeat(150_000))])).toBeNull()
    doneHere(16)
    expect(here.tryBatch(update('run_large'))).toBeNull()
    expect(here.tryBatch(update('run_small'))).not.toBeNull()
    for (let i = 0; i < 1_000; i++) here.tryBatch([insert(`run_${i}`, 'x'.repeat(150_000))])
    expect(here.tryBatch(update('run_large')), 'forgotten').not.toBeNull()
    expect(here.tryBatch(update('run_0'))).toBeNull()
  })

  it('go to the other thread while a transaction is open', () => {
    const busy = new WritesHere({ isTransaction: true } as never, () => ({ seconds, results: [0] }), noLog)
    expect(busy.tryBatch(ONE)).toBeNull()
  })
})

describe('a few writes at once', () => {
  /** What the log takes. */
  let isTaken: boolean
  let logged: number[]
  beforeEach(async () => {
    isTaken = true
    logged = []
    const log = {
      isEmpty: true,
      append(batch: readonly HotWrite[]) {
        if (isTaken) logged.push(batch.length)
        return isTaken
      },
    }
    here = new WritesHere(
      db as never,
      () => ({ seconds, results: [0] }),
      async () => log as unknown as RunLog,
    )
    for (let i = 0; i < 48; i++) expect(here.tryBatch(several(2))).toBeNull()
    await Promise.resolve()
  })

  it('go to the log, each with its result', () => {
    expect(here.tryBatch([[['count', [] as never]], []])).toEqual({ seconds: expect.any(Number), results: [1, 0] })
    expect(here.tryBatch(several(8))!.results).toHaveLength(8)
    expect(logged).toEqual([2, 8])
  })

  it('go to the other thread for a while after many at once', () => {
    expect(here.tryBatch(several(9))).toBeNull()
    for (let i = 0; i < 15; i++) expect(here.tryBatch(several(2))).toBeNull()
    expect(here.tryBatch(several(2))).not.toBeNull()
  })

  it('go to the other thread if the log does not take them, and so do single ones for a while', () => {
    isTaken = false
    expect(here.tryBatch(several(2))).toBeNull()
    expect(doneHere(15)).toBe(0)
    expect(doneHere(2)).toBe(2)
  })
})
