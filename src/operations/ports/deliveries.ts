// Where deliveries that start no run, and samples, are kept.
import type { WebhookData } from '../../engine/webhook-data.ts'
import type { Page, Paged } from './page.ts'

export type DeliveryOutcome = 'accepted' | 'duplicate' | 'filtered' | 'rejected'

/** `bodyOmitted`: the body is larger than what was asked for, and was not read. */
export type ShownWebhook = WebhookData & { bodyOmitted?: true }

export interface DeliveryRecord {
  id: string
  flowId: string
  receivedAt: number
  outcome: DeliveryOutcome
  code: string | null
  message: string | null
  /** What the caller got; null where the reply came later, from the run. */
  status: number | null
  runId: string | null
  webhook: ShownWebhook
}

export interface SampleRecord {
  id: string
  flowId: string
  receivedAt: number
  webhook: ShownWebhook
}

export interface DeliveryStore {
  /** For deliveries that start no run; an accepted one is its run. */
  add(delivery: DeliveryRecord): Promise<void>
  /** Deletes all rejected ones of the flow but the last. */
  trimRejected(flowId: string, keep: number): Promise<void>
  /** Without what they brought, which is not read. */
  inbox(filter: DeliveryFilter, page: Page): Promise<Paged<Omit<DeliveryRecord, 'webhook'>>>
  /** Without bodies larger than `maxBytes`; the page ends before what it brings exceeds that. */
  list(filter: DeliveryFilter, page: Page, maxBytes?: number): Promise<Paged<DeliveryRecord>>
  /** Without its body where that is larger than `maxBodyBytes`. */
  get(id: string, maxBodyBytes?: number): Promise<DeliveryRecord | null>
  /** As it is stored in sight; null: there is no such delivery. */
  body(id: string): Promise<Uint8Array | null>
}

export interface DeliveryFilter {
  flowId: string | null
  outcome: DeliveryOutcome | null
}

export interface SampleStore {
  /** Keeps the last `keep` of the flow. */
  add(sample: SampleRecord, keep: number): Promise<void>
  /** Newest first, with so many bytes of bodies at most, each and in all. */
  list(flowId: string, maxBytes?: number): Promise<SampleRecord[]>
  latest(flowId: string): Promise<SampleRecord | null>
  /** The latest outputs of Test Step, by step id, without those that are larger. */
  stepResults(flowId: string, maxBytes?: number): Promise<Record<string, unknown>>
  setStepResult(flowId: string, stepId: string, output: unknown, at: number): Promise<void>
  /** Both, but nothing larger than `maxBytes` is read: such results are left out, and with one such sample all of them. */
  small(flowId: string, maxBytes: number): Promise<{ webhooks: WebhookData[]; results: Record<string, unknown> }>
}
