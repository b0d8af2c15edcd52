import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CountedRefusals, CountRefusals } from './count-refusals.ts'

describe('what strangers are refused', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
  afterEach(() => void vi.useRealTimers())

  const started = () => {
    const recorded: CountedRefusals[] = []
    let fails = false
    const counted = new CountRefusals({
      record: async (refusals) => {
        if (fails) throw new Error('the disk is full')
        recorded.push(refusals)
      },
      now: Date.now,
      failed: () => {},
    })
    const fail = (now: boolean) => {
      fails = now
    }
    return { recorded, counted, fail }
  }

  it('is an entry at once, then one a minute at most', async () => {
    const { recorded, counted } = started()
    counted.add('192.0.2.1')
    expect(recorded).toMatchObject([{ count: 1, networks: 1, from: ['192.0.2.1'] }])
    for (let i = 0; i < 100_000; i++) counted.add(`network ${i}`)
    await vi.advanceTimersByTimeAsync(59_000)
    expect(recorded).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(recorded[1]).toEqual({
      count: 100_000,
      networks: 1_000,
      more: true,
      from: Array.from({ length: 10 }, (_, i) => `network ${i}`),
      firstAt: '2026-01-01T00:00:00.000Z',
      lastAt: '2026-01-01T00:00:00.000Z',
    })
    // A minute without any, and the next is an entry at once again.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(recorded).toHaveLength(2)
    counted.add('192.0.2.2')
    expect(recorded).toHaveLength(3)
  })

  it('is written when the process stops, and later if it could not be written', async () => {
    const { recorded, counted, fail } = started()
    fail(true)
    counted.add('192.0.2.1')
    await vi.advanceTimersByTimeAsync(1_000)
    counted.add('192.0.2.2')
    fail(false)
    await counted.stop()
    expect(recorded).toEqual([
      {
        count: 2,
        networks: 2,
        from: ['192.0.2.1', '192.0.2.2'],
        firstAt: '2026-01-01T00:00:00.000Z',
        lastAt: '2026-01-01T00:00:01.000Z',
      },
    ])
    await counted.stop()
    expect(recorded).toHaveLength(1)
  })
})
