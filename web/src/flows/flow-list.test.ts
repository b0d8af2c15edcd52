import { describe, expect, it } from 'vitest'
import type { Flow, FlowStats } from '../api/api-types.ts'
import { listFlows, readListState } from './flow-list.ts'

const flow = (name: string, status: Flow['status'], updatedAt: string): Flow => ({
  id: name,
  name,
  status,
  revision: 1,
  slug: null,
  webhook: { id: 'w', url: 'u', testUrl: 't' },
  draft: { name, trigger: { kind: 'webhook' }, steps: [] },
  published: null,
  createdAt: updatedAt,
  updatedAt,
})
const flows = [
  flow('Order alerts', 'published', '2026-01-01T00:00:00.000Z'),
  flow('Refunds 10', 'draft', '2026-01-03T00:00:00.000Z'),
  flow('Refunds 9', 'draft', '2026-01-02T00:00:00.000Z'),
]
const stats: FlowStats[] = [
  { flowId: 'Refunds 9', lastRun: { id: 'r', status: 'failed', createdAt: '2026-01-04T00:00:00.000Z' }, hours: [] },
]
const names = (state: Parameters<typeof listFlows>[2]) => listFlows(flows, stats, state).map((entry) => entry.flow.name)

describe('the list of flows', () => {
  it('shows the latest changed first', () => {
    expect(names({})).toEqual(['Refunds 10', 'Refunds 9', 'Order alerts'])
  })

  it('sorts by name as people count, and by the last run', () => {
    expect(names({ sort: 'name' })).toEqual(['Order alerts', 'Refunds 9', 'Refunds 10'])
    expect(names({ sort: 'run' })[0]).toBe('Refunds 9')
  })

  it('finds every word in any order and letter case', () => {
    expect(names({ q: 'ALERT ord' })).toEqual(['Order alerts'])
    expect(names({ q: 'refunds', status: 'published' })).toEqual([])
  })

  it('reads from the address only what it knows', () => {
    expect(readListState({ q: 'x', status: 'gone', sort: 'name', more: 1 })).toStrictEqual({
      q: 'x',
      status: undefined,
      sort: 'name',
    })
  })
})
