import { describe, expect, it } from 'vitest'
import { matchesFilter, runFilter, runSearch } from './run-filter.ts'

const NOW = Date.parse('2026-11-15T08:00:30Z')

describe('the filter of runs', () => {
  it('is read from the URL, and what is not understood is left out', () => {
    expect(runSearch({ flow: 'flow_1', status: 'failed', range: '24h' })).toEqual({
      flow: 'flow_1',
      status: 'failed',
      range: '24h',
    })
    expect(runSearch({ flow: 7, status: 'broken', range: '3w', since: 'yesterday', until: 'x', other: 1 })).toEqual({})
    expect(runSearch({ label: ['order=7', 'x', 'customer=ada'] })).toEqual({ label: ['order=7', 'customer=ada'] })
    expect(runSearch({ since: '2026-11-01', until: '2026-11-02T10:00:00Z' })).toEqual({
      since: '2026-11-01',
      until: '2026-11-02T10:00:00Z',
    })
  })

  it('turns a range into a time that stays the same within a minute', () => {
    const since = runFilter({ range: '1h' }, NOW).since
    expect(since).toBe('2026-11-15T07:00:00.000Z')
    expect(runFilter({ range: '1h' }, NOW + 20_000).since).toBe(since)
  })

  it('knows the runs it shows as the service does', () => {
    const createdAt = '2026-11-15T08:00:00.000Z'
    const run = { flowId: 'flow_1', status: 'failed' as const, createdAt, labels: { order: '7' } }
    expect(matchesFilter({}, run)).toBe(true)
    expect(matchesFilter({ flow: 'flow_2' }, run)).toBe(false)
    expect(matchesFilter({ status: 'running' }, run)).toBe(false)
    expect(matchesFilter({ since: run.createdAt }, run)).toBe(true)
    expect(matchesFilter({ until: run.createdAt }, run)).toBe(false)
    expect(matchesFilter({ since: '2026-11-15T08:00:01Z' }, run)).toBe(false)
    expect(matchesFilter({ label: 'order=7' }, run)).toBe(true)
    expect(matchesFilter({ label: 'order=8' }, run)).toBe(false)
    expect(matchesFilter({ label: ['order=7', 'customer=ada'] }, run)).toBe(false)
  })
})
