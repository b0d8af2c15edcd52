// Which flows the list shows, and in which order.
import type { FlowStats, FlowSummary } from '../api/api-types.ts'

export const SORTS = ['changed', 'name', 'run', 'traffic', 'failures'] as const
export type FlowSort = (typeof SORTS)[number]

export interface FlowListState {
  q?: string | undefined
  status?: FlowSummary['status'] | undefined
  tag?: string | undefined
  /** The kind of the trigger. */
  trigger?: string | undefined
  /** Who changed the draft last. */
  by?: string | undefined
  sort?: FlowSort | undefined
}

export interface ListedFlow {
  flow: FlowSummary
  stats: FlowStats | undefined
}

export function listFlows(flows: FlowSummary[], stats: FlowStats[], state: FlowListState): ListedFlow[] {
  const { q = '', status, tag, trigger, by, sort } = state
  const byFlow = new Map(stats.map((entry) => [entry.flowId, entry]))
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return flows
    .filter((flow) => status === undefined || flow.status === status)
    .filter((flow) => tag === undefined || flow.tags.includes(tag))
    .filter((flow) => trigger === undefined || flow.trigger === trigger)
    .filter((flow) => by === undefined || flow.updatedBy === by)
    .filter(({ name, tags }) => words.every((word) => [name, ...tags].join('\n').toLowerCase().includes(word)))
    .map((flow) => ({ flow, stats: byFlow.get(flow.id) }))
    .toSorted(ORDERS[sort ?? 'changed'])
}

type Order = (a: ListedFlow, b: ListedFlow) => number

/** Times in ISO 8601 sort as text. */
const latest = (a = '', b = '') => (a < b ? 1 : a > b ? -1 : 0)

const most =
  (count: 'runs' | 'failed'): Order =>
  (a, b) =>
    countOf(b.stats, count) - countOf(a.stats, count) || latest(a.flow.updatedAt, b.flow.updatedAt)

const collator = new Intl.Collator('en', { numeric: true })

const ORDERS: Record<FlowSort, Order> = {
  name: (a, b) => collator.compare(a.flow.name, b.flow.name),
  run: (a, b) => latest(a.stats?.lastRun?.createdAt, b.stats?.lastRun?.createdAt),
  changed: (a, b) => latest(a.flow.updatedAt, b.flow.updatedAt),
  traffic: most('runs'),
  failures: most('failed'),
}

/** Of the last 24 hours. */
export const countOf = (stats: FlowStats | undefined, count: 'runs' | 'failed'): number =>
  stats?.hours.reduce((sum, hour) => sum + hour[count], 0) ?? 0

/** Every tag with the number of its flows, in the order of the alphabet. */
export function tagCounts(flows: FlowSummary[]): { tag: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { tags } of flows) for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].map(([tag, count]) => ({ tag, count })).toSorted((a, b) => collator.compare(a.tag, b.tag))
}

export const triggersOf = (flows: FlowSummary[]): string[] =>
  [...new Set(flows.map(({ trigger }) => trigger).filter((kind) => kind !== null))].toSorted()

/** Everybody who changed one of the flows last. */
export const editorsOf = (flows: FlowSummary[]): string[] =>
  [...new Set(flows.map(({ updatedBy }) => updatedBy).filter((name) => name !== null))].toSorted(collator.compare)

/** What is not known is taken away, not only left out: the router would pass it on. */
export function readListState({ q, status, tag, trigger, by, sort }: Record<string, unknown>): FlowListState {
  return {
    q: textOf(q),
    status: status === 'draft' || status === 'published' ? status : undefined,
    tag: textOf(tag),
    trigger: textOf(trigger),
    by: textOf(by),
    sort: SORTS.find((each) => each === sort && each !== 'changed'),
  }
}

/** The router reads `?tag=2026` as a number. */
const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined
