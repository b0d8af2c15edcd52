// Finds the busiest and slowest flows, and what fails most, by reading the counters of a few flows at a time.
import type { Counts, StatsStore } from '../ports/stats.ts'
import { percentile } from './percentile.ts'
import { type CountsView, countsView } from './stats-view.ts'

/** Reading the hours of more flows at once would hold the event loop. */
const FLOWS_AT_ONCE = 20
const SHOWN = 5
const SHOWN_ERRORS = 8

export interface RankedFlow extends CountsView {
  flowId: string
  flowName: string
}

export interface RankedError {
  flowId: string
  flowName: string
  code: string
  runs: number
}

export interface Ranking {
  busiest: RankedFlow[]
  slowest: RankedFlow[]
  errors: RankedError[]
}

type FlowCounts = Counts & { flowId: string; name: string }

/** Keeps the first few by an order. */
class First<T> {
  readonly items: T[] = []
  readonly #size: number
  readonly #by: (item: T) => number

  constructor(size: number, by: (item: T) => number) {
    this.#size = size
    this.#by = by
  }

  add(item: T): void {
    const value = this.#by(item)
    if (value === 0) return
    const at = this.items.findIndex((other) => this.#by(other) < value)
    this.items.splice(at === -1 ? this.items.length : at, 0, item)
    if (this.items.length > this.#size) this.items.pop()
  }
}

export async function rankFlows(stats: StatsStore, fromHour: number): Promise<Ranking> {
  const busiest = new First<FlowCounts>(SHOWN, ({ started, accepted, duplicate, filtered, rejected }) =>
    Math.max(started, accepted + duplicate + filtered + rejected),
  )
  const slowest = new First<FlowCounts>(SHOWN, ({ durations }) => percentile(durations, 0.95) ?? 0)
  const errors = new First<RankedError>(SHOWN_ERRORS, ({ runs }) => runs)
  for (let after: string | null = null; ; ) {
    const flows: FlowCounts[] = await stats.flows(after, FLOWS_AT_ONCE, fromHour)
    for (const flow of flows) {
      busiest.add(flow)
      slowest.add(flow)
    }
    const names = new Map(flows.map(({ flowId, name }) => [flowId, name]))
    const failing = flows.filter(({ failed }) => failed > 0).map(({ flowId }) => flowId)
    for (const error of await stats.errors(failing, fromHour))
      errors.add({ ...error, flowName: names.get(error.flowId)! })
    if (flows.length < FLOWS_AT_ONCE) break
    after = flows.at(-1)!.flowId
    // Deliveries go first.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const shown = (flow: FlowCounts): RankedFlow => ({
    flowId: flow.flowId,
    flowName: flow.name,
    ...countsView(flow),
  })
  return { busiest: busiest.items.map(shown), slowest: slowest.items.map(shown), errors: errors.items }
}

/** Returns what fails most in one flow. */
export async function errorsOf(
  stats: StatsStore,
  flow: { id: string; name: string },
  fromHour: number,
): Promise<RankedError[]> {
  const errors = await stats.errors([flow.id], fromHour)
  return errors
    .toSorted((a, b) => b.runs - a.runs)
    .slice(0, SHOWN_ERRORS)
    .map((error) => ({ ...error, flowName: flow.name }))
}
