import { describe, expect, it } from 'vitest'
import type { FlowStats, FlowSummary } from '../api/api-types.ts'
import { listFlows, readListState, tagCounts } from './flow-list.ts'

const flow = (name: string, status: FlowSummary['status'], updatedAt: string, tags: string[] = []): FlowSummary => ({
  id: name,
  name,
  status,
  tags,
  trigger: 'webhook',
  revision: 1,
  slug: null,
  webhook: { id: 'w', url: 'u', testUrl: 't' },
  published: null,
  paused: null,
  createdAt: updatedAt,
  updatedAt,
  updatedBy: tags.length ? 'Ada' : 'Bob',
})
const flows = [
  flow('Order alerts', 'published', '2026-01-01T00:00:00.000Z', ['shop']),
  flow('Refunds 10', 'draft', '2026-01-03T00:00:00.000Z'),
  flow('Refunds 9', 'draft', '2026-01-02T00:00:00.000Z', ['shop', 'Billing']),
]
const stats: FlowStats[] = [
  {
    flowId: 'Refunds 9',
    lastRun: { id: 'r', status: 'failed', createdAt: '2026-01-04T00:00:00.000Z' },
    hours: [{ runs: 9, failed: 1 }],
  },
  { flowId: 'Order alerts', lastRun: null, hours: [{ runs: 30, failed: 0 }] },
]
const names = (state: Parameters<typeof listFlows>[2]) => listFlows(flows, stats, state).map((entry) => entry.flow.name)

describe('the list of flows', () => {
  it('narrows to the flows that somebody changed last', () => {
    expect(listFlows(flows, [], { by: 'Bob' }).map(({ flow: { name } }) => name)).toEqual(['Refunds 10'])
  })

  it('shows the latest changed first', () => {
    expect(names({})).toEqual(['Refunds 10', 'Refunds 9', 'Order alerts'])
  })

  it('sorts by name as people count, and by the last run', () => {
    expect(names({ sort: 'name' })).toEqual(['Order alerts', 'Refunds 9', 'Refunds 10'])
    expect(names({ sort: 'run' })[0]).toBe('Refunds 9')
  })

  it('sorts by traffic and by failures', () => {
    expect(names({ sort: 'traffic' })).toEqual(['Order alerts', 'Refunds 9', 'Refunds 10'])
    expect(names({ sort: 'failures' })).toEqual(['Refunds 9', 'Refunds 10', 'Order alerts'])
  })

  it('is narrowed by tag and by trigger, and finds tags by their text', () => {
    expect(names({ tag: 'shop' })).toEqual(['Refunds 9', 'Order alerts'])
    expect(names({ trigger: 'schedule' })).toEqual([])
    expect(names({ q: 'billing refunds' })).toEqual(['Refunds 9'])
    expect(tagCounts(flows)).toEqual([
      { tag: 'Billing', count: 1 },
      { tag: 'shop', count: 2 },
    ])
  })

  it('finds every word in any order and letter case', () => {
    expect(names({ q: 'ALERT ord' })).toEqual(['Order alerts'])
    expect(names({ q: 'refunds', status: 'published' })).toEqual([])
  })

  it('reads from the address only what it knows', () => {
    expect(readListState({ q: 'x', status: 'gone', sort: 'name', tag: 2026, more: 1 })).toStrictEqual({
      q: 'x',
      status: undefined,
      tag: '2026',
      trigger: undefined,
      by: undefined,
      sort: 'name',
    })
  })
})
