import type { RunStatus } from '../../engine/ports/run-journal.ts'
import { parseJson } from '../../flow/parse-json.ts'
import { notFound } from '../operation-error.ts'
import type { Page, Paged } from '../ports/page.ts'
import { SHOWN_BYTES } from '../shown-size.ts'
import { findFlow } from './draft.ts'
import { type FlowView, shownFlow } from './flow-view.ts'
import type { FlowServices } from './services.ts'

export async function readFlow(services: FlowServices, id: string): Promise<FlowView> {
  return shownFlow(services, await findFlow(services, id))
}

export async function listFlows(services: FlowServices, page: Page, search: string | null): Promise<Paged<FlowView>> {
  const { items, nextCursor } = await services.flows.list(page, search)
  return { items: await Promise.all(items.map((flow) => shownFlow(services, flow))), nextCursor }
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
): Promise<Paged<FlowStats>> {
  const { items, nextCursor } = await services.flows.list(page, search)
  const ids = items.map(({ id }) => id)
  const [latest, hours] = await Promise.all([services.runs.latestOf(ids), services.activity.recent(ids)])
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

/** Returns the latest outputs of Test Step by step id. */
export async function readTestResults(services: FlowServices, id: string): Promise<{ steps: Record<string, unknown> }> {
  await findFlow(services, id)
  return { steps: services.secrets.redact(await services.samples.stepResults(id, SHOWN_BYTES), id) }
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
