// Which flows the list shows, and in which order.
import type { Flow, FlowStats } from '../api/api-types.ts'

export type FlowSort = 'name' | 'run' | 'changed'

export interface FlowListState {
  q?: string | undefined
  status?: Flow['status'] | undefined
  sort?: FlowSort | undefined
}

export interface ListedFlow {
  flow: Flow
  stats: FlowStats | undefined
}

export function listFlows(flows: Flow[], stats: FlowStats[], { q = '', status, sort }: FlowListState): ListedFlow[] {
  const byFlow = new Map(stats.map((entry) => [entry.flowId, entry]))
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return flows
    .filter((flow) => (status ? flow.status === status : true))
    .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
    .map((flow) => ({ flow, stats: byFlow.get(flow.id) }))
    .toSorted(ORDERS[sort ?? 'changed'])
}

type Order = (a: ListedFlow, b: ListedFlow) => number

const latest = (a: string | undefined, b: string | undefined) => (b ?? '').localeCompare(a ?? '')

const ORDERS: Record<FlowSort, Order> = {
  name: (a, b) => a.flow.name.localeCompare(b.flow.name, 'en', { numeric: true }),
  run: (a, b) => latest(a.stats?.lastRun?.createdAt, b.stats?.lastRun?.createdAt),
  changed: (a, b) => latest(a.flow.updatedAt, b.flow.updatedAt),
}

/** What is not known is taken away, not only left out: the router would pass it on. */
export function readListState({ q, status, sort }: Record<string, unknown>): FlowListState {
  return {
    q: typeof q === 'string' && q !== '' ? q : undefined,
    status: status === 'draft' || status === 'published' ? status : undefined,
    sort: sort === 'name' || sort === 'run' ? sort : undefined,
  }
}
