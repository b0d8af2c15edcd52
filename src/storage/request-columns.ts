// How a delivery's request is laid out in columns: everything but the body as JSON, the body as the bytes that came.
import { storedRequest, type WebhookData, webhookData } from '../engine/webhook-data.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export interface RequestColumns {
  request: string
  raw_body: Uint8Array
}

export const requestColumns = (webhook: WebhookData): RequestColumns => ({
  request: JSON.stringify(storedRequest(webhook)),
  raw_body: encoder.encode(webhook.rawBody),
})

export const fromRequestColumns = (row: RequestColumns): WebhookData =>
  webhookData(JSON.parse(row.request), decoder.decode(row.raw_body))
