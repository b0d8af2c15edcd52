import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Intake } from './intake.ts'

function lineOf(intake: Intake, count: number): number[] {
  const begun: number[] = []
  for (let i = 0; i < count; i++) {
    const next = intake.next()
    if (next === 'begin') begun.push(i)
    else if (next === 'wait') intake.wait(() => begun.push(i))
  }
  return begun
}

it('begins so many deliveries in a turn, and those in line in the next turns, in their order', async () => {
  const begun = lineOf(new Intake({ perTurn: 2, longestWaitMs: 1000, mostWaiting: 10 }), 5)
  expect(begun).toEqual([0, 1])
  await nextTurn()
  expect(begun).toEqual([0, 1, 2, 3])
  await nextTurn()
  expect(begun).toEqual([0, 1, 2, 3, 4])
})

it('begins half of those that came, where that is more', async () => {
  const begun = lineOf(new Intake({ perTurn: 2, longestWaitMs: 1000, mostWaiting: 10 }), 12)
  await nextTurn()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  await nextTurn()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

it('lets nobody pass those in line', async () => {
  const intake = new Intake({ perTurn: 1, longestWaitMs: 1000, mostWaiting: 10 })
  lineOf(intake, 3)
  await nextTurn()
  expect(intake.next()).toBe('wait')
  await nextTurn()
  await nextTurn()
  expect(intake.next()).toBe('begin')
})

it('refuses who finds the line full, and nobody once it has moved on', async () => {
  const intake = new Intake({ perTurn: 1, longestWaitMs: 1000, mostWaiting: 2 })
  lineOf(intake, 3)
  expect(intake.next()).toBe('refuse')
  await nextTurn()
  expect(intake.next()).toBe('begin')
})

it('refuses when the first in line has waited too long, unless the line is short', () => {
  let now = 0
  const limits = { perTurn: 1, longestWaitMs: 250, mostWaiting: 10 }
  const long = new Intake(limits, () => now)
  const short = new Intake(limits, () => now)
  lineOf(long, 4)
  lineOf(short, 3)
  now = 249
  expect(long.next()).toBe('wait')
  now = 250
  expect(long.next()).toBe('refuse')
  expect(short.next()).toBe('wait')
})

it('refuses while too many are given to the store and not stored', () => {
  const intake = new Intake({ perTurn: 10, longestWaitMs: 1000, mostWaiting: 2 })
  intake.storing()
  expect(intake.next()).toBe('begin')
  intake.storing()
  expect(intake.next()).toBe('refuse')
  intake.stored()
  expect(intake.next()).toBe('begin')
})
