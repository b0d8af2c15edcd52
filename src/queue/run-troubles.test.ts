import { describe, expect, it } from 'vitest'
import { RunTroubles } from './run-troubles.ts'

const HOUR_MS = 3_600_000

describe('a run that cannot be carried on', () => {
  it('is tried five times within the time that is given, ever later, and then given up', async () => {
    const troubles = new RunTroubles(HOUR_MS, () => true)
    const attempt = () => Promise.reject(new Error('unreadable'))
    const delays: number[] = []
    for (;;) {
      const result = await troubles.carry('run_a', attempt, async () => 'given up').catch((error: unknown) => error)
      if (result === 'given up') break
      delays.push(Math.round(troubles.failed('run_a', result)))
    }
    expect(delays).toHaveLength(5)
    expect(delays[0]).toBe(1000)
    expect(delays).toEqual([...delays.slice(0, 4).toSorted((a, b) => a - b), 0])
    expect(delays.reduce((a, b) => a + b)).toBeCloseTo(HOUR_MS, -2)
    // It begins anew, should it come again.
    expect(
      await troubles.carry(
        'run_a',
        async () => 'tried',
        async () => 'given up',
      ),
    ).toBe('tried')
  })

  it('is never given up for trouble that other runs have too', async () => {
    const troubles = new RunTroubles(HOUR_MS, () => false)
    for (let i = 0; i < 20; i++) expect(troubles.failed('run_a', new Error('the database is gone'))).toBe(1000)
    expect(
      await troubles.carry(
        'run_a',
        async () => 'tried',
        async () => 'given up',
      ),
    ).toBe('tried')
  })

  it('counts anew after an attempt that went well', async () => {
    const troubles = new RunTroubles(4, () => true)
    for (let i = 0; i < 4; i++) expect(troubles.failed('run_a', null)).toBeCloseTo(1)
    await troubles.carry(
      'run_a',
      async () => {},
      async () => {},
    )
    expect(troubles.failed('run_a', null)).toBeCloseTo(1)
  })
})
