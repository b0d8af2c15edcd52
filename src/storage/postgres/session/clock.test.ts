import { describe, expect, it } from 'vitest'
import { PostgresClock } from './clock.ts'

/** Returns a steady clock that shows `at`, and a database that takes `tookMs` to tell its time. */
function setUp() {
  let at = 0
  const clock = new PostgresClock(() => at)
  const measure = (databaseTime: number, tookMs: number) =>
    clock.measure(async () => {
      at += tookMs
      return databaseTime
    })
  return { clock, measure, pass: (ms: number) => (at += ms) }
}

describe('the clock of the database', () => {
  it('goes on by the steady clock after the database has told its time', async () => {
    const { clock, measure, pass } = setUp()
    await measure(1_000_000, 10)
    expect(clock.now()).toBe(1_000_005)
    pass(2_000)
    expect(clock.now()).toBe(1_002_005)
  })

  it('keeps to an exact answer rather than to one that took long', async () => {
    const { clock, measure, pass } = setUp()
    await measure(1_000_000, 2)
    pass(1_000)
    // The question was asked at 1,001,001; the answer, 800 ms later, was true at some moment in between.
    await measure(1_001_700, 800)
    expect(clock.now()).toBe(1_001_801)
  })

  it('follows when the database has its clock set, however long the answer takes', async () => {
    const { clock, measure, pass } = setUp()
    await measure(1_000_000, 2)
    pass(1_000)
    await measure(5_000_000, 800)
    expect(clock.now()).toBe(5_000_400)
  })
})
