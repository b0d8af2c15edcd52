// How a delivery's request is laid out in columns: everything but the body as JSON, the body as the bytes that came.

import { type StoredRequest, storedRequest, type WebhookData, webhookData } from '../engine/webhook-data.ts'
import { parseJson } from '../flow/parse-json.ts'

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
  webhookData(parseJson(row.request) as StoredRequest, decoder.decode(row.raw_body))
