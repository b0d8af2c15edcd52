import { expect, it } from 'vitest'
import { isLarge } from './shown-size.ts'

it('tells what is too large to be shown from what is not, wherever the size comes from', () => {
  expect(isLarge(null, 10)).toBe(false)
  expect(isLarge({ a: 'bcd' }, 10)).toBe(false)
  expect(isLarge('x'.repeat(11), 10)).toBe(true)
  expect(isLarge({ a: { b: ['x'.repeat(11)] } }, 10)).toBe(true)
  expect(isLarge({ ['k'.repeat(11)]: 1 }, 10)).toBe(true)
  expect(isLarge([1, 2, 3], 20)).toBe(false)
  expect(isLarge(Array.from({ length: 11 }), 10)).toBe(true)
})
