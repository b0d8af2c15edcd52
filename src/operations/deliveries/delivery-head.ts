// A webhook request without its body, and what is known of it once it is admitted.
import { lastValues, type WebhookMetadata } from '../../engine/webhook-data.ts'
import type { CompiledWebhook } from '../../flow/triggers/webhook/compile.ts'
import type { LiveFlow } from '../flows/published-flows.ts'
import type { RecordEntry } from '../ports/audit.ts'
import type { RouteRecord } from '../ports/flows.ts'

export interface DeliveryHead {
  webhookId: string
  /** Whether the request was sent to the test URL. */
  test: boolean
  method: string
  /** The path and query as on the wire. */
  target: string
  /** Names and values as on the wire, in order: name, value, name, value … */
  rawHeaders: readonly string[]
  headers: Record<string, string>
  queryAll: Record<string, string[]>
  hops: number
  metadata: WebhookMetadata
}

export interface Admission {
  route: RouteRecord
  flow: LiveFlow
  trigger: CompiledWebhook
  head: DeliveryHead
  /** Records who sends it, if that is a user of Millrace: in the transaction that stores the run or the sample that it becomes. */
  entry?: RecordEntry
}

/** Returns the last value of each name. Called after authentication has masked credentials. */
export const queryOf = (head: DeliveryHead): Record<string, string> => lastValues(head.queryAll)

/** Counts the webhooks of this service that called one another before this request. */
export const HOP_HEADER = 'X-Millrace-Hops'
const HOPS = HOP_HEADER.toLowerCase()

/** A value that is not a small number counts as too deep. */
export function hopsOf(headers: Readonly<Record<string, string>>): number {
  const value = headers[HOPS]
  if (value === undefined) return 0
  return /^\d{1,3}$/.test(value) ? Number(value) : Number.MAX_SAFE_INTEGER
}
