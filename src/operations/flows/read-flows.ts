import type { RunStatus } from '../../engine/ports/run-journal.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { notFound } from '../operation-error.ts'
import type { Page, Paged } from '../ports/page.ts'
import { HOUR_MS } from '../ports/stats.ts'
import { SHOWN_BYTES } from '../shown-size.ts'
import { findFlow } from './draft.ts'
import { type FlowView, shownFlow } from './flow-view.ts'
import type { FlowServices } from './services.ts'

export async function readFlow(services: FlowServices, id: string): Promise<FlowView> {
  return shownFlow(services, await findFlow(services, id))
}

export interface FlowFilter {
  search: string | null
  tag: string | null
  /** Whether each flow comes with its draft. */
  draft: boolean
  /** Only these. */
  among: readonly string[] | null
}

export type ListedFlow = Omit<FlowView, 'draft'> & { draft?: unknown }

export async function listFlows(
  services: FlowServices,
  page: Page,
  { search, tag, draft: withDraft, among }: FlowFilter,
): Promise<Paged<ListedFlow>> {
  const { items, nextCursor } = await services.flows.list(page, search, tag, among)
  const views = await Promise.all(items.map((flow) => shownFlow(services, flow)))
  return { items: withDraft ? views : views.map(({ draft: _, ...rest }) => rest), nextCursor }
}

export interface FlowStats {
  flowId: string
  lastRun: { id: string; status: RunStatus; createdAt: string } | null
  /** The last 24 hours, oldest first. The last one has only begun. */
  hours: { runs: number; failed: number }[]
}

/** Returns the statistics of the flows on a page of `listFlows`, in the same order. */
export async function listFlowStats(
  services: FlowServices,
  page: Page,
  search: string | null,
  among: readonly string[] | null,
): Promise<Paged<FlowStats>> {
  const { items, nextCursor } = await services.flows.list(page, search, null, among)
  const ids = items.map(({ id }) => id)
  const [latest, hours] = await Promise.all([services.runs.latestOf(ids), recentHours(services, ids)])
  const lastRuns = new Map(
    latest.map(({ flowId, id, status, createdAt }) => [
      flowId,
      { id, status, createdAt: new Date(createdAt).toISOString() },
    ]),
  )
  const stats = ids.map((flowId) => ({
    flowId,
    lastRun: lastRuns.get(flowId) ?? null,
    hours: hours.get(flowId)!,
  }))
  return { items: stats, nextCursor }
}

const SHOWN_HOURS = 24

async function recentHours(
  { stats, now }: FlowServices,
  flowIds: readonly string[],
): Promise<Map<string, FlowStats['hours']>> {
  const first = Math.floor(now() / HOUR_MS) - SHOWN_HOURS + 1
  const hours = new Map(flowIds.map((id) => [id, Array.from({ length: SHOWN_HOURS }, () => ({ runs: 0, failed: 0 }))]))
  await stats.settle()
  for (const { flowId, hour, runs, failed } of await stats.hours(flowIds, first)) {
    const of = hours.get(flowId)!
    if (of[hour - first]) of[hour - first] = { runs, failed }
  }
  return hours
}

export interface TestResults {
  steps: Record<string, unknown>
  /** The ids of the steps whose result is pinned. */
  pinned: string[]
}

/** Returns by step id what tests use: the pinned output, or the latest output of Test Step. */
export async function readTestResults(services: FlowServices, id: string): Promise<TestResults> {
  await findFlow(services, id)
  const results = await services.samples.stepResults(id, SHOWN_BYTES)
  const pins = await services.samples.pins(id, SHOWN_BYTES)
  return { steps: services.secrets.redact({ ...results, ...pins }, id), pinned: Object.keys(pins).toSorted() }
}

export interface VersionView {
  version: number
  publishedAt: string
  publishedBy: string
}

export async function listVersions(services: FlowServices, id: string, page: Page): Promise<Paged<VersionView>> {
  await findFlow(services, id)
  const { items, nextCursor } = await services.flows.versions(id, page)
  return {
    items: items.map(({ version, publishedAt, publishedBy }) => ({
      version,
      publishedAt: new Date(publishedAt).toISOString(),
      publishedBy,
    })),
    nextCursor,
  }
}

export async function readVersion(
  services: FlowServices,
  id: string,
  version: number,
): Promise<VersionView & { document: unknown }> {
  const record = await services.flows.version(id, version)
  if (!record) throw notFound('version', `${version} of flow ${id}`)
  return {
    version,
    publishedAt: new Date(record.publishedAt).toISOString(),
    publishedBy: record.publishedBy,
    document: parseJson(record.document),
  }
}
