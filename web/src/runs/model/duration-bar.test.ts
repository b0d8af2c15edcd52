import { describe, expect, it } from 'vitest'
import { durationShare, runDuration } from './duration-bar.ts'
import { at, T0 } from './sample-steps.testkit.ts'

describe('the bar of a duration', () => {
  it('is longer for what took longer, from milliseconds to an hour', () => {
    const shares = [0, 5, 10, 100, 1000, 60_000, 3_600_000, 9e9].map(durationShare)
    expect(shares[0]).toBe(0)
    expect(shares.at(-1)).toBe(1)
    expect(shares.slice(1, -1).every((share, i) => i === 0 || share > shares[i]!)).toBe(true)
  })

  it('grows by the same length for each tenfold', () => {
    expect(durationShare(100) - durationShare(10)).toBeCloseTo(durationShare(10_000) - durationShare(1000))
  })

  it('counts on while the run is under way, and not before it began', () => {
    expect(runDuration({ startedAt: at(0), finishedAt: at(70) }, T0 + 500)).toBe(70)
    expect(runDuration({ startedAt: at(0), finishedAt: null }, T0 + 500)).toBe(500)
    expect(runDuration({ startedAt: at(600), finishedAt: null }, T0 + 500)).toBe(0)
    expect(runDuration({ startedAt: null, finishedAt: null }, T0)).toBeNull()
  })
})
