import { describe, expect, it } from 'vitest'
import { rowWindow } from './row-window.ts'

describe('the rows that are drawn', () => {
  it('are few, however long the list is', () => {
    const { first, end } = rowWindow(1_000_000, 28, 14_000_000, 400)
    expect(end - first).toBeLessThan(40)
    expect(first).toBeLessThanOrEqual(500_000)
    expect(end).toBeGreaterThanOrEqual(500_015)
  })

  it('leave the height of the whole list', () => {
    for (const scrollTop of [0, 500, 99_999]) {
      const { first, end, above, below } = rowWindow(1000, 28, scrollTop, 300)
      expect(above + (end - first) * 28 + below).toBe(28_000)
    }
  })

  it('are all of a short list', () => {
    expect(rowWindow(3, 28, 0, 300)).toEqual({ first: 0, end: 3, above: 0, below: 0 })
    expect(rowWindow(0, 28, 0, 300)).toEqual({ first: 0, end: 0, above: 0, below: 0 })
  })
})
