// A webhook request without its body, and what is known of it once it is admitted.
import { lastValues, type WebhookMetadata } from '../../engine/webhook-data.ts'
import type { LiveFlow } from '../flows/published-flows.ts'
import type { RouteRecord } from '../ports/flows.ts'

export interface DeliveryHead {
  webhookId: string
  /** Sent to the test URL. */
  test: boolean
  method: string
  /** Names as on the wire, in order: name, value, name, value … */
  rawHeaders: readonly string[]
  headers: Record<string, string>
  queryAll: Record<string, string[]>
  hops: number
  metadata: WebhookMetadata
}

export interface Admission {
  route: RouteRecord
  flow: LiveFlow
  head: DeliveryHead
}

/** Last values win; built after authentication has masked what it must. */
export const queryOf = (head: DeliveryHead): Record<string, string> => lastValues(head.queryAll)
