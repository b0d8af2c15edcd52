// The port to the stores of samples and of deliveries that start no run.

import { blankRequest, type WebhookData, webhookData } from '../../engine/webhook-data.ts'
import type { Labels } from '../../flow/triggers/labels.ts'
import type { Page, Paged } from './page.ts'

/** What became of a delivery; the last three are those of callbacks, which may also be filtered or rejected. */
export type DeliveryOutcome =
  | 'accepted'
  | 'duplicate'
  | 'filtered'
  | 'rejected'
  | 'handshake'
  | 'callback'
  | 'early'
  | 'repeated'

/**
 * A webhook for display. `bodyOmitted`: the body exceeds the requested size and was not read. `dataDeleted`: the flow does not keep
 * the data, and nobody sees it any more. `dataHidden`: the caller may not see it.
 */
export type ShownWebhook = WebhookData & { bodyOmitted?: true; dataDeleted?: true; dataHidden?: true }

/** Returns what is shown of a webhook whose data is deleted. */
export const withoutData = ({ metadata }: WebhookData): ShownWebhook => ({
  ...webhookData(blankRequest(metadata), ''),
  body: null,
  dataDeleted: true,
})

export interface DeliveryRecord {
  id: string
  flowId: string
  receivedAt: number
  outcome: DeliveryOutcome
  code: string | null
  message: string | null
  /** The status of the reply; null if the run replied later. */
  status: number | null
  runId: string | null
  /** The type of the event; null if the trigger does not say how it is told, or it was not known who sends. */
  event: string | null
  /** Whether the body of a rejected delivery is kept, so that the delivery can be admitted. */
  bodyKept?: true
  webhook: ShownWebhook
}

export interface SampleRecord {
  id: string
  flowId: string
  receivedAt: number
  webhook: ShownWebhook
}

export interface DeliveryStore {
  /** Adds a delivery that starts no run. An accepted delivery is stored as its run. */
  add(delivery: DeliveryRecord): Promise<void>
  /** Deletes the flow's rejected deliveries except the latest `keep`, and its handshakes likewise. */
  trimRejected(flowId: string, keep: number): Promise<void>
  /** Deletes the kept bodies of the flow's rejected deliveries except the latest `keep`. */
  trimBodies(flowId: string, keep: number): Promise<void>
  /** Deletes all bodies of rejected deliveries that came before this time. Returns their number. */
  deleteBodies(before: number): Promise<number>
  /** Returns the true request of a rejected delivery whose body is kept; null if it is not. */
  keptRequest(id: string): Promise<WebhookData | null>
  /** Lets the delivery lead to this run in place of `instead`, by default of none. Returns the run that it leads to then. */
  leadTo(id: string, runId: string | null, instead?: string | null): Promise<string | null>
  /** Returns deliveries without their content, which is not read. */
  inbox(filter: DeliveryFilter, page: Page): Promise<Paged<Omit<DeliveryRecord, 'webhook'>>>
  /** Returns deliveries without bodies larger than `maxBytes`. The page ends before its content exceeds `maxBytes`. */
  list(filter: DeliveryFilter, page: Page, maxBytes?: number): Promise<Paged<DeliveryRecord>>
  /** Returns the delivery, without its body if that exceeds `maxBodyBytes`. */
  get(id: string, maxBodyBytes?: number): Promise<DeliveryRecord | null>
  /** Returns the body in its stored, readable form; null if there is no such delivery. */
  body(id: string): Promise<Uint8Array | null>
}

export interface DeliveryFilter {
  flowId: string | null
  outcome: DeliveryOutcome | null
  /** Only deliveries whose run has all of these. */
  labels?: Labels | null
  /** Only deliveries of this event. */
  event?: string | null
  /** Only of these flows. */
  among?: readonly string[] | null
}

export interface SampleStore {
  /** Adds a sample and keeps the latest `keep` of the flow. `files`: what came with it, which stays as long as the sample. */
  add(sample: SampleRecord, keep: number, files?: readonly string[]): Promise<void>
  /** Returns samples, newest first, with at most `maxBytes` of bodies, each and in total. */
  list(flowId: string, maxBytes?: number): Promise<SampleRecord[]>
  latest(flowId: string): Promise<SampleRecord | null>
  /** Returns the whole body as it is stored; null if the flow has no such sample. */
  body(flowId: string, id: string): Promise<Uint8Array | null>
  /** Returns the latest outputs of Test Step by step id, without those larger than `maxBytes`. */
  stepResults(flowId: string, maxBytes?: number): Promise<Record<string, unknown>>
  setStepResult(flowId: string, stepId: string, output: unknown, at: number): Promise<void>
  /** Returns the outputs that are pinned to steps, by step id, without those larger than `maxBytes`. */
  pins(flowId: string, maxBytes?: number): Promise<Record<string, unknown>>
  pin(flowId: string, stepId: string, output: unknown, at: number): Promise<void>
  unpin(flowId: string, stepId: string): Promise<void>
  /** Gives the result and the pin of a step to the step's new id. */
  renameStep(flowId: string, from: string, to: string): Promise<void>
  /** Returns samples and results, none larger than `maxBytes`: omits larger results, and all samples if one is larger. Pins take the place of results. */
  small(flowId: string, maxBytes: number): Promise<{ webhooks: WebhookData[]; results: Record<string, unknown> }>
}
