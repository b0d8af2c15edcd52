// What happened in the last hours or days, from the counters, and how the service stands now.
import { listConnectionStates } from '../connections/read-connections.ts'
import { findFlow } from '../flows/draft.ts'
import type { Actor } from '../ports/access.ts'
import { HOUR_MS, MINUTE_MS } from '../ports/stats.ts'
import { errorsOf, type Ranking, rankFlows } from './rank-flows.ts'
import type { StatsServices } from './services.ts'
import { addCounts, type CountsView, countsView, noCounts } from './stats-view.ts'

export const RANGES = ['24h', '7d', '30d'] as const
export type Range = (typeof RANGES)[number]

/** Every range begins at a full hour, so that its minutes and its hours are the same time. */
const STEPS: Record<Range, { unit: 'minute' | 'hour'; step: number; slots: number }> = {
  '24h': { unit: 'minute', step: 15, slots: 96 },
  '7d': { unit: 'hour', step: 1, slots: 168 },
  '30d': { unit: 'hour', step: 24, slots: 30 },
}
const MOST_WAITING = 10_000

export interface StatsView extends Ranking {
  range: Range
  from: string
  to: string
  stepSeconds: number
  flow: { id: string; name: string } | null
  totals: CountsView
  series: (CountsView & { at: string })[]
  waiting: { runs: number; more: boolean }
  connections: { name: string; state: string; reason: string | null }[]
  instance: InstanceView | null
}

export interface InstanceView {
  fault: string | null
  queue: { queued: number; limit: number; oldestSeconds: number; running: number }
  version: string
  node: string
  database: { kind: 'sqlite' | 'postgres'; version: string; bytes: number; freeBytes: number | null }
}

/** Without a flow: all flows together, those that were deleted included. */
export async function readStats(
  services: StatsServices,
  actor: Actor,
  range: Range,
  flowId: string | null,
): Promise<StatsView> {
  const { stats } = services
  const flow = flowId === null ? null : await findFlow(services, flowId)
  const { unit, step, slots } = STEPS[range]
  const now = services.now()
  const stepMs = step * (unit === 'minute' ? MINUTE_MS : HOUR_MS)
  const hoursOfSlots = Math.max(HOUR_MS, stepMs)
  // The last hour, or the last step of several hours, has only begun.
  const from = (Math.floor(now / hoursOfSlots) + 1) * hoursOfSlots - slots * stepMs
  const fromHour = from / HOUR_MS

  await stats.settle()
  const found = await stats.series(flowId, unit, from / (unit === 'minute' ? MINUTE_MS : HOUR_MS), step)
  const bySlot = new Map(found.map((counts) => [counts.slot, counts]))
  const totals = noCounts()
  for (const counts of found) addCounts(totals, counts)
  const series = []
  for (let at = from; at <= now; at += stepMs)
    series.push({ at: new Date(at).toISOString(), ...countsView(bySlot.get(at / stepMs) ?? noCounts()) })

  const waiting = await stats.waiting(flowId, MOST_WAITING + 1)
  const ranking = flow
    ? { busiest: [], slowest: [], errors: await errorsOf(stats, flow, fromHour) }
    : await rankFlows(stats, fromHour)
  return {
    range,
    from: new Date(from).toISOString(),
    to: new Date(now).toISOString(),
    stepSeconds: stepMs / 1000,
    flow: flow && { id: flow.id, name: flow.name },
    totals: countsView(totals),
    series,
    ...ranking,
    waiting: { runs: Math.min(waiting, MOST_WAITING), more: waiting > MOST_WAITING },
    connections:
      flow || !actor.scopes.includes('connections:use')
        ? []
        : listConnectionStates(services).filter(({ state }) => state !== 'ready'),
    instance: flow ? null : await instanceView(services, now),
  }
}

async function instanceView(services: StatsServices, now: number): Promise<InstanceView> {
  const { instance, queue, engine } = services
  const { oldestSince } = queue
  return {
    fault: await instance.fault(),
    queue: {
      queued: queue.size,
      limit: instance.maxQueue,
      oldestSeconds: oldestSince === null ? 0 : Math.max(0, now - oldestSince) / 1000,
      running: engine.active,
    },
    version: instance.version,
    node: process.version,
    database: { kind: instance.storage, ...(await instance.database()) },
  }
}
