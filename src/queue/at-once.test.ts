import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AtOnce } from './at-once.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function setUp(most: number) {
  const state = { busy: 1, more: 0 }
  const atOnce = new AtOnce(most, {
    busy: () => state.busy,
    more: () => {
      state.more++
    },
  })
  const begin = (count: number) => {
    for (let i = 0; i < count; i++) atOnce.begun()
  }
  const end = (count: number) => {
    for (let i = 0; i < count; i++) atOnce.ended()
  }
  const look = (times = 1) => vi.advanceTimersByTime(times * 100)
  return { state, atOnce, begin, end, look }
}

describe('how many runs are under way at once', () => {
  it('is halved down to a few while there is no time left', () => {
    const { atOnce, begin, end, look } = setUp(256)
    begin(256)
    expect(atOnce.limit).toBe(256)
    const limits = [1, 2, 3, 4, 5].map(() => {
      look()
      return atOnce.limit
    })
    expect(limits).toEqual([128, 64, 32, 32, 32])
    end(224)
    expect([atOnce.hasPlace(true), atOnce.hasPlace(false)]).toEqual([false, true])
    end(1)
    expect(atOnce.hasPlace(true)).toBe(true)
    atOnce.stop()
  })

  it('stays as it is where runs wait for others, however many they are', () => {
    const { state, atOnce, begin, look } = setUp(256)
    state.busy = 0.5
    begin(256)
    look(20)
    expect(atOnce.limit).toBe(256)
    atOnce.stop()
  })

  it('stays as it is where little is under way, or no more than a few may be', () => {
    const busyWithOthers = setUp(256)
    busyWithOthers.begin(32)
    expect(vi.getTimerCount()).toBe(0)
    const small = setUp(16)
    small.begin(16)
    small.look(20)
    expect([busyWithOthers.atOnce.limit, small.atOnce.limit]).toEqual([256, 16])
  })

  it('grows again as soon as there is time, and tells of it', () => {
    const { state, atOnce, begin, end, look } = setUp(256)
    begin(256)
    look(3)
    // Neither much time nor none.
    state.busy = 0.9
    look(10)
    expect([atOnce.limit, state.more]).toEqual([32, 0])
    // All wait for a slow service now, and none ends.
    state.busy = 0.1
    end(224)
    look()
    expect([atOnce.limit, state.more]).toEqual([40, 1])
    look(20)
    expect(atOnce.limit).toBe(256)
    atOnce.stop()
  })

  it('is not looked at once the rush is over, and is again in the next', () => {
    const { state, atOnce, begin, end, look } = setUp(256)
    begin(256)
    look()
    state.busy = 0
    end(255)
    look(20)
    expect([atOnce.limit, vi.getTimerCount()]).toEqual([256, 0])
    state.busy = 1
    begin(200)
    look()
    expect(atOnce.limit).toBe(128)
    atOnce.stop()
    expect([atOnce.limit, vi.getTimerCount()]).toEqual([256, 0])
  })
})
