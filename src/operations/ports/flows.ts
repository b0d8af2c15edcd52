// Where flows, their versions and the files that they were applied from are kept.
import type { Page, Paged } from './page.ts'

export interface FlowRecord {
  id: string
  name: string
  /** The draft document as JSON text. */
  draft: string
  revision: number
  webhookId: string
  /** The version that is live, if any. */
  version: number | null
  publishedAt: number | null
  createdAt: number
  updatedAt: number
}

export interface VersionRecord {
  version: number
  publishedAt: number
  publishedBy: string
  /** JSON text; never changes. */
  document: string
}

/** Which flow answers at a webhook id, and with which version. */
export interface RouteRecord {
  webhookId: string
  flowId: string
  version: number | null
}

export interface FlowStore {
  create(flow: FlowRecord): Promise<void>
  get(id: string): Promise<FlowRecord | null>
  /** `search` is a part of the name, whatever its letters' case. */
  list(page: Page, search?: string | null): Promise<Paged<FlowRecord>>
  /** By id; flows that are gone have none. */
  names(ids: readonly string[]): Promise<Map<string, string>>
  /** 'conflict': the draft is no longer at the expected revision. */
  replaceDraft(
    id: string,
    change: { name: string; draft: string; updatedAt: number; expectedRevision: number | null },
  ): Promise<FlowRecord | 'conflict' | null>
  /** Makes the draft of `revision` the live version; an unchanged document keeps its number. */
  publish(
    id: string,
    by: { revision: number; publishedAt: number; publishedBy: string },
  ): Promise<FlowRecord | 'conflict' | null>
  unpublish(id: string, at: number): Promise<FlowRecord | null>
  setWebhookId(id: string, webhookId: string, at: number): Promise<FlowRecord | null>
  /** Removes the flow with its versions, samples and deliveries, and cancels its unfinished runs. */
  remove(id: string, at: number): Promise<boolean>
  /** Where these webhook ids lead. */
  routesAt(webhookIds: readonly string[]): Promise<RouteRecord[]>
  routeOf(flowId: string): Promise<RouteRecord | null>
  versions(id: string, page: Page): Promise<Paged<VersionRecord>>
  version(id: string, version: number): Promise<VersionRecord | null>
  routes(): Promise<RouteRecord[]>
  /** Every flow whose draft or live version has this text in it; `live` is null where there is none, or not with the text. */
  holding(text: string): Promise<{ id: string; name: string; draft: string; live: string | null }[]>
  /** Every draft and version, of all flows or of one, that may hold sealed secrets. */
  sealedDocuments(flowId?: string): Promise<{ flowId: string; document: string }[]>
}

/** The file that a flow was applied from. */
export interface FlowSource {
  flowId: string
  /** Which folder of files, by name. */
  source: string
  path: string
  /** Of the draft, as it was applied. */
  revision: number
}

export interface FlowSourceStore {
  list(source: string | null, page: Page): Promise<Paged<FlowSource>>
  set(source: FlowSource): Promise<void>
}

export interface FlowVersion {
  flowId: string
  version: number
}

/** The runs of a flow in one hour, counted since 1970. */
export interface FlowHour {
  flowId: string
  hour: number
  runs: number
  failed: number
}

export interface ActivityStore {
  /** Adds to what is there. */
  add(counts: readonly FlowHour[]): Promise<void>
  since(flowIds: readonly string[], hour: number): Promise<FlowHour[]>
  deleteBefore(hour: number): Promise<void>
}
