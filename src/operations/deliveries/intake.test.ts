import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Intake, type IntakeLimits } from './intake.ts'

function setUp(limits: Partial<IntakeLimits>) {
  const state = { now: 1000, looks: 0 }
  const intake = new Intake(
    () => state.looks++,
    { beginMs: 250, perTurn: 2, refuseMs: 80, mostStoring: 100, ...limits },
    () => state.now,
  )
  return { intake, state, come: (count: number) => Array.from({ length: count }, () => intake.next()) }
}

it('begins whatever comes while a turn is short, however many', () => {
  const { come } = setUp({})
  expect(new Set(come(1000))).toEqual(new Set(['begin']))
})

it('begins again in a turn that lasts even longer: an overload has no other turns', () => {
  const { state, come } = setUp({})
  come(2)
  state.now += 250
  expect(come(1)).toEqual(['refuse'])
  state.now += 79
  expect(come(1)).toEqual(['refuse'])
  state.now += 1
  expect(come(3)).toEqual(['begin', 'begin', 'begin'])
  state.now += 250
  expect(come(1)).toEqual(['refuse'])
})

it('refuses in a turn that lasts too long, and no more in the next one', async () => {
  const { state, come } = setUp({})
  expect(come(3)).toEqual(['begin', 'begin', 'begin'])
  state.now += 249
  expect(come(1)).toEqual(['begin'])
  state.now += 1
  expect(come(2)).toEqual(['refuse', 'refuse'])
  await nextTurn()
  expect(come(1)).toEqual(['begin'])
})

it('begins a few in every turn, however long: a pause is no overload', () => {
  const { state, come } = setUp({})
  expect(come(1)).toEqual(['begin'])
  state.now += 10_000
  expect(come(2)).toEqual(['begin', 'refuse'])
})

it('counts a turn from the first delivery that it brings', async () => {
  const { state, come } = setUp({})
  come(1)
  await nextTurn()
  state.now += 10_000
  expect(come(4)).toEqual(['begin', 'begin', 'begin', 'begin'])
})

it('refuses while too many are given to the store and not stored', () => {
  const { intake, come } = setUp({ mostStoring: 2 })
  intake.storing()
  expect(come(1)).toEqual(['begin'])
  intake.storing()
  expect(come(1)).toEqual(['refuse'])
  intake.stored()
  expect(come(1)).toEqual(['begin'])
})

it('counts what joins the line once it is stored, also if storing fails', async () => {
  const { intake } = setUp({})
  const stored = Promise.withResolvers<string>()
  const failed = Promise.withResolvers<never>()
  const joined = [intake.join(stored.promise), intake.join(failed.promise)]
  expect(intake.joining).toBe(2)
  stored.resolve('stored')
  failed.reject(new Error('the disk is full'))
  expect((await Promise.allSettled(joined)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(intake.joining).toBe(0)
})

it('looks again and again for what is stored, also while it refuses', () => {
  const { intake, state, come } = setUp({ mostStoring: 1 })
  come(63)
  expect(state.looks).toBe(0)
  come(1)
  expect(state.looks).toBe(1)
  intake.storing()
  come(128)
  expect(state.looks).toBe(3)
})

it('looks more often while many come, turn after turn', async () => {
  const { state, come } = setUp({})
  come(50)
  expect(state.looks).toBe(0)
  await nextTurn()
  come(50)
  expect(state.looks).toBe(6)
  await nextTurn()
  come(1)
  await nextTurn()
  come(50)
  expect(state.looks).toBe(6)
})
