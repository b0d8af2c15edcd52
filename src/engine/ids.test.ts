import { describe, expect, it } from 'vitest'
import { createIds, idTime, timeOfId } from './ids.ts'

const random = (size: number) => crypto.getRandomValues(new Uint8Array(size))

describe('ids', () => {
  it('sort in the order in which they were made, also within a millisecond and when the clock is set back', () => {
    let time = 1_800_000_000_000
    const ids = createIds(() => time, random)
    const made: string[] = []
    for (let i = 0; i < 5000; i++) {
      if (i === 2000) time -= 3_600_000
      if (i === 4000) time += 7_200_000
      made.push(ids.next('run'))
    }
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made).size).toBe(made.length)
  })

  it('begin with their time, so that a time bounds a search', () => {
    const ids = createIds(() => 1000, random)
    const id = ids.next('run')
    expect(id > `run_${idTime(1000)}`).toBe(true)
    expect(id < `run_${idTime(1001)}`).toBe(true)
    expect(id).toMatch(/^run_[0-9a-hjkmnp-tv-z]{26}$/)
  })

  it('tell when they were made', () => {
    for (const time of [0, 1000, 1_800_000_000_123])
      expect(timeOfId(createIds(() => time, random).next('run'))).toBe(time)
  })

  it('have webhook ids of 192 random bits in 32 characters', () => {
    const ids = createIds(() => 0, random)
    const made = Array.from({ length: 100 }, () => ids.webhookId())
    for (const id of made) expect(id).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(new Set(made).size).toBe(100)
  })
})
