import { expect, it } from 'vitest'
import { inUnit, toSeconds, unitOf } from './time-units.ts'

it.each([
  [0, 'seconds'],
  [5, 'seconds'],
  [90, 'seconds'],
  [120, 'minutes'],
  [3600, 'hours'],
  [86_400, 'days'],
  [129_600, 'hours'],
  [0.5, 'seconds'],
] as const)('%s seconds are said in %s', (seconds, unit) => {
  expect(unitOf(seconds)).toBe(unit)
})

it('gives seconds back as they were', () => {
  expect(toSeconds(1.5, 'hours')).toBe(5400)
  expect(inUnit(5400, 'hours')).toBe(1.5)
  expect(toSeconds(0.1, 'minutes')).toBe(6)
})

it('says no time in a unit that would change it', () => {
  expect(inUnit(5, 'hours')).toBeNull()
  expect(inUnit(100, 'days')).toBeNull()
})
