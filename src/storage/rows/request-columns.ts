// Lays a delivery's request out in columns: the body as the bytes that came, everything else as JSON; secrets hidden.

import {
  isJsonType,
  mediaType,
  type StoredRequest,
  storedRequest,
  type WebhookData,
  webhookData,
} from '../../engine/webhook-data.ts'
import { parseJson } from '../../flow/parse-json.ts'
import type { ShownWebhook } from '../../operations/ports/deliveries.ts'
import type { Protect } from '../../operations/ports/secrets.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export interface RequestColumns {
  request: string
  raw_body: Uint8Array
}

/** Returns the columns of a request that is only shown. */
export function requestColumns(webhook: WebhookData, protect: Protect): RequestColumns {
  const { request, rawBody } = requestTexts(webhook, protect)
  return { request, raw_body: encoder.encode(rawBody) }
}

/** Returns the same as `requestColumns`, with the body as text. */
export const requestTexts = (webhook: WebhookData, protect: Protect): { request: string; rawBody: string } =>
  shownRequest(webhook, JSON.stringify(storedRequest(webhook)), protect)

/** Returns the columns of a request that a run uses: if something is hidden, the true request is sealed beside it. */
export function sealedRequestColumns(
  webhook: WebhookData,
  protect: Protect,
  binding: string,
): RequestColumns & { sealed: string | null } {
  const { request, rawBody, sealed } = sealedRequestTexts(webhook, protect, binding)
  return { request, raw_body: encoder.encode(rawBody), sealed }
}

/** Returns the same as `sealedRequestColumns`, with the body as text. */
export function sealedRequestTexts(
  webhook: WebhookData,
  protect: Protect,
  binding: string,
): { request: string; rawBody: string; sealed: string | null } {
  const request = JSON.stringify(storedRequest(webhook))
  const shown = shownRequest(webhook, request, protect)
  const hidden = shown.request !== request || shown.rawBody !== webhook.rawBody
  return {
    ...shown,
    sealed: hidden ? protect.seal(JSON.stringify([request, webhook.rawBody]), binding) : null,
  }
}

function shownRequest({ rawBody, metadata }: WebhookData, request: string, protect: Protect) {
  const isJson = isJsonType(mediaType(metadata.contentType))
  return { request: protect.json(request), rawBody: isJson ? protect.json(rawBody) : protect.text(rawBody) }
}

export const fromRequestColumns = (row: RequestColumns): WebhookData =>
  toWebhook(row.request, decoder.decode(row.raw_body))

/** Returns the request of a row whose body may have been too large to be read. */
export function fromBoundedColumns(row: { request: string; raw_body: Uint8Array | null }): ShownWebhook {
  if (row.raw_body !== null) return fromRequestColumns({ request: row.request, raw_body: row.raw_body })
  return { ...toWebhook(row.request, ''), body: null, bodyOmitted: true }
}

/** Returns the true request. */
export function revealedRequest(
  row: RequestColumns & { sealed: string | null },
  protect: Protect,
  binding: string,
): WebhookData {
  if (row.sealed === null) return fromRequestColumns(row)
  const [request, rawBody] = JSON.parse(protect.reveal(row.sealed, binding)) as [string, string]
  return toWebhook(request, rawBody)
}

const toWebhook = (request: string, rawBody: string): WebhookData =>
  webhookData(parseJson(request) as StoredRequest, rawBody)
