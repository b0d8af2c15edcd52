// The port to the stores of flows, their versions and their flow sources.
import type { Page, Paged } from './page.ts'
import type { PlanSchedule } from './schedules.ts'

export interface FlowRecord {
  id: string
  name: string
  /** The draft document as JSON text. */
  draft: string
  revision: number
  webhookId: string
  /** The name of the draft for URLs and other flows, if it has one. */
  slug: string | null
  /** The live version, if any. */
  version: number | null
  publishedAt: number | null
  /** The kind of the live version's trigger. */
  liveTrigger: string | null
  /** The time at which it was paused; null if its runs begin. */
  pausedAt: number | null
  createdAt: number
  updatedAt: number
  /** The name of the user or token that changed the draft last; null if it is not known. */
  updatedBy: string | null
}

export interface VersionRecord {
  version: number
  publishedAt: number
  publishedBy: string
  /** The document as JSON text, which never changes. */
  document: string
}

/** The flow and version that answer at a webhook id. */
export interface RouteRecord {
  webhookId: string
  flowId: string
  version: number | null
  paused: boolean
}

/** What the store has to know of the trigger that goes live. */
export interface LiveTrigger {
  kind: string
  /** null if it is no schedule. */
  schedule: PlanSchedule | null
}

/** Thrown when a flow is saved whose slug another flow has. */
export class SlugTaken extends Error {}

export interface FlowStore {
  create(flow: FlowRecord): Promise<void>
  get(id: string): Promise<FlowRecord | null>
  idOfSlug(slug: string): Promise<string | null>
  /** Returns the published flows whose live version has a trigger of this kind. */
  publishedWith(trigger: string): Promise<{ id: string; name: string; slug: string | null; document: string }[]>
  /** Lists flows. `search` is a part of the name, in any letter case; `tag` is a whole tag of the draft, `among` the only ids. */
  list(
    page: Page,
    search?: string | null,
    tag?: string | null,
    among?: readonly string[] | null,
  ): Promise<Paged<FlowRecord>>
  /** Returns the flows whose draft has one of these tags. */
  idsWith(tags: readonly string[]): Promise<string[]>
  /** Returns names by flow id, without flows that are gone. */
  names(ids: readonly string[]): Promise<Map<string, string>>
  /** Returns 'conflict' if the draft is no longer at the expected revision. */
  replaceDraft(
    id: string,
    change: Pick<FlowRecord, 'name' | 'draft' | 'updatedAt' | 'updatedBy'> & {
      slug?: string | null
      expectedRevision: number | null
    },
  ): Promise<FlowRecord | 'conflict' | null>
  /**
   * Makes the draft of `revision` the live version, or `document`, which comes of it. An unchanged document keeps its
   * version number. `trigger`: the kind of its trigger.
   */
  publish(
    id: string,
    by: { revision: number; document?: string; publishedAt: number; publishedBy: string; trigger: LiveTrigger },
  ): Promise<FlowRecord | 'conflict' | null>
  unpublish(id: string, at: number): Promise<FlowRecord | null>
  /** Sets or ends the pause of a flow. A flow that is paused already keeps its time. Times planned meanwhile count as missed. */
  setPaused(id: string, paused: boolean, at: number): Promise<FlowRecord | null>
  setWebhookId(id: string, webhookId: string, at: number): Promise<FlowRecord | null>
  /** Removes the flow with its versions, samples and deliveries, and cancels its unfinished runs. */
  remove(id: string, at: number): Promise<boolean>
  /** Returns the routes of these webhook ids. */
  routesAt(webhookIds: readonly string[]): Promise<RouteRecord[]>
  routeOf(flowId: string): Promise<RouteRecord | null>
  versions(id: string, page: Page): Promise<Paged<VersionRecord>>
  version(id: string, version: number): Promise<VersionRecord | null>
  routes(): Promise<RouteRecord[]>
  /** Returns the flows whose draft or live version contains the text. `live` is null if no live version contains it. */
  holding(text: string): Promise<{ id: string; name: string; draft: string; live: string | null }[]>
  /** Returns every draft and version, of all flows or of one, that may hold sealed secrets. */
  sealedDocuments(flowId?: string): Promise<{ flowId: string; document: string }[]>
}

/** The file that a flow was applied from. */
export interface FlowSource {
  flowId: string
  /** The name of the folder of files. */
  source: string
  path: string
  /** The revision of the draft that was applied. */
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
