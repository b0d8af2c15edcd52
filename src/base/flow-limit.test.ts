import { expect, it } from 'vitest'
import { isWithin, limitOf } from './flow-limit.ts'

it('a limit holds for its flows and its tags, and a new flow has only tags', () => {
  const limit = limitOf(['flow_1', 'flow_1'], ['a', 'b'])!
  expect(limit).toEqual({ flows: ['flow_1'], tags: ['a', 'b'] })
  expect(isWithin(limit, 'flow_1', [])).toBe(true)
  expect(isWithin(limit, 'flow_2', ['b', 'c'])).toBe(true)
  expect(isWithin(limit, 'flow_2', ['c', 'flow_1'])).toBe(false)
  expect(isWithin(limit, null, ['a'])).toBe(true)
  expect(isWithin(limit, null, [])).toBe(false)
  expect(limitOf([], [])).toBeNull()
})
