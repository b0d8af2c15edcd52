import { parseJson } from '../flow/parse-json.ts'
import { findFlow } from './draft.ts'
import { type FlowView, flowView } from './flow-view.ts'
import { notFound } from './operation-error.ts'
import type { Page, Paged } from './ports.ts'
import type { Services } from './services.ts'

export async function readFlow(services: Services, id: string): Promise<FlowView> {
  return flowView(await findFlow(services, id), services.baseUrl)
}

export async function listFlows(services: Services, page: Page): Promise<Paged<FlowView>> {
  const { items, nextCursor } = await services.flows.list(page)
  return { items: items.map((flow) => flowView(flow, services.baseUrl)), nextCursor }
}

export interface VersionView {
  version: number
  publishedAt: string
  publishedBy: string
}

export async function listVersions(services: Services, id: string, page: Page): Promise<Paged<VersionView>> {
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
  services: Services,
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
