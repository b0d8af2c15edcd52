import { describe, expect, it } from 'vitest'
import { Buckets } from './buckets.ts'

describe('buckets', () => {
  it('allows a burst, then one more each time it has refilled, and says how long to wait', () => {
    const limit = new Buckets(3, 60_000)
    expect([1, 2, 3].map(() => limit.take('ada', 0))).toEqual([null, null, null])
    expect(limit.take('ada', 0)).toBe(60)
    expect(limit.take('ada', 45_000)).toBe(15)
    expect(limit.take('ada', 60_000)).toBeNull()
    expect(limit.take('ada', 60_000)).toBe(60)
    expect(limit.take('bob', 60_000)).toBeNull()
  })

  it('gives an attempt back, and never more than the burst', () => {
    const limit = new Buckets(1, 60_000)
    expect(limit.take('ada', 0)).toBeNull()
    limit.giveBack('ada')
    limit.giveBack('ada')
    limit.giveBack('unknown')
    expect(limit.take('ada', 0)).toBeNull()
    expect(limit.take('ada', 0)).toBe(60)
  })

  it('takes no harm from a clock that is set back', () => {
    const limit = new Buckets(1, 60_000)
    expect(limit.take('ada', 1_000_000)).toBeNull()
    expect(limit.take('ada', 0)).toBe(60)
    expect(limit.take('ada', 60_000)).toBeNull()
  })

  it('forgets the one who tried longest ago when too many try, and not one who tries all the time', () => {
    const limit = new Buckets(1, 60_000, 3)
    limit.take('always', 0)
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      expect(limit.take(key, 0)).toBeNull()
      expect(limit.take('always', 0)).toBe(60)
    }
    expect(limit.take('a', 0)).toBeNull()
  })
})
