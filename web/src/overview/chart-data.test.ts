import { expect, it } from 'vitest'
import type { Stats } from '../api/api-types.ts'
import { deliveriesLine, formatShare, isEmpty, runsLine } from './chart-data.ts'

const none = {
  deliveries: { accepted: 0, duplicate: 0, filtered: 0, rejected: 0 },
  runs: { started: 0, succeeded: 0, failed: 0, cancelled: 0 },
  successRate: null,
  p50Ms: null,
  p95Ms: null,
}
const at = (minute: number) => new Date(2026, 0, 1, 12, minute).toISOString()
const stats = (series: Stats['series']) => ({ range: '24h', series }) as const

it('says in words what the chart shows', () => {
  const busy = { ...none, runs: { started: 9, succeeded: 1200, failed: 3, cancelled: 1 } }
  const line = runsLine(
    stats([
      { at: at(0), ...none },
      { at: at(15), ...busy },
    ]),
  )
  expect(line.summary).toBe('Runs of the last 24 hours: 1,200 succeeded and 3 failed, most of them from 12:15.')
  expect(line.points.map(({ good, bad }) => [good, bad])).toEqual([
    [0, 0],
    [1200, 3],
  ])
})

it('counts what a webhook took on as accepted, whatever became of it', () => {
  const mixed = { ...none, deliveries: { accepted: 3, duplicate: 2, filtered: 1, rejected: 4 } }
  expect(deliveriesLine(stats([{ at: at(0), ...mixed }])).points).toMatchObject([{ good: 6, bad: 4 }])
  expect(isEmpty(deliveriesLine(stats([{ at: at(0), ...none }])))).toBe(true)
})

it('never rounds up to all', () => {
  expect([formatShare(1), formatShare(0.99999), formatShare(0.5), formatShare(0)]).toEqual([
    '100%',
    '99.9%',
    '50%',
    '0%',
  ])
})
