import { Histogram, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { Timings } from './timings.ts'

const BOUNDS = [0.01, 0.5, 2]
const OBSERVED = [0, 0.01, 0.010001, 0.4, 0.5, 1.25, 2, 2.5, 400]

describe('timings', () => {
  it('are shown as prom-client shows a histogram', async () => {
    const [ours, theirs] = [new Registry(), new Registry()]
    const shown = { name: 'step_seconds', help: 'Time of a "step"' }
    const timings = new Timings({ registry: ours, ...shown, bounds: BOUNDS })
    const histogram = new Histogram({ registers: [theirs], ...shown, labelNames: ['kind'], buckets: BOUNDS })
    for (const kind of ['http', 'set']) {
      const series = timings.series({ kind })
      for (const seconds of OBSERVED) {
        series.observe(seconds)
        histogram.observe({ kind }, seconds)
      }
    }
    expect(await ours.metrics()).toBe(await theirs.metrics())
  })

  it('are there from the start, with nothing in them', async () => {
    const registry = new Registry()
    new Timings({ registry, name: 'commit_seconds', help: 'Time', bounds: BOUNDS }).series()
    const text = await registry.metrics()
    expect(text).toContain('commit_seconds_bucket{le="+Inf"} 0\n')
    expect(text).toContain('commit_seconds_count 0\n')
  })
})
