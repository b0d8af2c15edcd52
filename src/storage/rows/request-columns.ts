// Lays a delivery's request out in columns: the body as the bytes that came, everything else as JSON; secrets hidden.

import type { RunStartData } from '../../engine/ports/run-journal.ts'
import {
  blankRequest,
  isJsonType,
  mediaType,
  type StoredRequest,
  storedRequest,
  type WebhookData,
  webhookData,
  webhookDataInTurns,
} from '../../engine/webhook-data.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import { type DeliveryRecord, type ShownWebhook, withoutData } from '../../operations/ports/deliveries.ts'
import type { ShownStart } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { deliveryBinding } from './bindings.ts'

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

/** Returns the columns of a delivery that started no run: sealed if its body is kept for a run that it may start later. */
export function deliveryTexts(
  { id, webhook, bodyKept }: Pick<DeliveryRecord, 'id' | 'webhook' | 'bodyKept'>,
  protect: Protect,
): { request: string; rawBody: string; sealed: string | null } {
  if (bodyKept) return sealedRequestTexts(webhook, protect, deliveryBinding(id))
  return { ...requestTexts(webhook, protect), sealed: null }
}

/** Returns the true request of a delivery whose body is kept. */
export const keptRequest = (
  row: RequestColumns & { id: string; sealed: string | null },
  protect: Protect,
): Promise<WebhookData> => revealedRequest(row, protect, deliveryBinding(row.id))

/** Returns the same as `requestColumns`, with the body as text. */
const requestTexts = (webhook: ShownWebhook, protect: Protect): { request: string; rawBody: string } =>
  shownRequest(webhook, JSON.stringify(webhook.dataDeleted ? blankOf(webhook) : storedRequest(webhook)), protect)

const blankOf = ({ metadata }: Pick<StoredRequest, 'metadata'>) => ({ ...blankRequest(metadata), dataDeleted: true })

/** Returns the columns of what a run began with, once its data is deleted. */
export function erasedStart({ request, trigger }: { request: string; trigger: string | null }): RequestColumns {
  if (!isByDelivery(trigger)) return { request: '{}', raw_body: encoder.encode('null') }
  return { request: JSON.stringify(blankOf(parseJson(request) as StoredRequest)), raw_body: new Uint8Array() }
}

/** Returns the columns of a request that a run uses: if something is hidden, the true request is sealed beside it. */
function sealedRequestTexts(
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

/** Returns the columns of what a run began with. What no delivery brought is stored in place of the body. */
export function sealedStartTexts(
  { webhook, given }: RunStartData,
  protect: Protect,
  binding: string,
): { request: string; rawBody: string; sealed: string | null } {
  if (webhook) return sealedRequestTexts(webhook, protect, binding)
  const text = JSON.stringify(given)
  const shown = protect.json(text)
  return { request: '{}', rawBody: shown, sealed: shown === text ? null : protect.seal(text, binding) }
}

/** Returns the same as `sealedStartTexts`, with the body as bytes. */
export function sealedStartColumns(
  start: RunStartData,
  protect: Protect,
  binding: string,
): RequestColumns & { sealed: string | null } {
  const { request, rawBody, sealed } = sealedStartTexts(start, protect, binding)
  return { request, raw_body: encoder.encode(rawBody), sealed }
}

/** Returns whether a delivery started the run: most such runs have no trigger stored, one that was admitted has. */
const isByDelivery = (trigger: string | null): boolean =>
  trigger === null || (parseJson(trigger) as { kind: string }).kind === WEBHOOK

/** Returns the true beginning of a run. */
export async function revealedStart(
  row: RequestColumns & { sealed: string | null; trigger: string | null },
  protect: Protect,
  binding: string,
): Promise<RunStartData> {
  if (isByDelivery(row.trigger)) return { webhook: await revealedRequest(row, protect, binding), given: null }
  const text = row.sealed === null ? decoder.decode(row.raw_body) : protect.reveal(row.sealed, binding)
  return { webhook: null, given: parseJson(text) as RunStartData['given'] }
}

/** Returns the beginning of a run for display; a part that may have been too large to be read is left out. */
export function shownStart(row: { request: string; raw_body: Uint8Array | null; trigger: string | null }): ShownStart {
  if (isByDelivery(row.trigger)) return { webhook: fromBoundedColumns(row), given: null }
  const given = row.raw_body && (parseJson(decoder.decode(row.raw_body)) as ShownStart['given'])
  return given ? { webhook: null, given } : { webhook: null, given: null, givenOmitted: true }
}

function shownRequest({ rawBody, metadata }: WebhookData, request: string, protect: Protect) {
  const isJson = isJsonType(mediaType(metadata.contentType))
  return { request: protect.json(request), rawBody: isJson ? protect.json(rawBody) : protect.text(rawBody) }
}

export const fromRequestColumns = (row: RequestColumns): WebhookData =>
  webhookData(parseJson(row.request) as StoredRequest, decoder.decode(row.raw_body))

/** Returns the request of a row whose body may have been too large to be read. */
export function fromBoundedColumns(row: { request: string; raw_body: Uint8Array | null }): ShownWebhook {
  const request = parseJson(row.request) as StoredRequest & { dataDeleted?: true }
  if (request.dataDeleted) return withoutData(webhookData(request, ''))
  if (row.raw_body !== null) return webhookData(request, decoder.decode(row.raw_body))
  return { ...webhookData(request, ''), body: null, bodyOmitted: true }
}

/** Returns the true request. */
function revealedRequest(
  row: RequestColumns & { sealed: string | null },
  protect: Protect,
  binding: string,
): Promise<WebhookData> {
  const [request, rawBody] =
    row.sealed === null
      ? [row.request, decoder.decode(row.raw_body)]
      : (JSON.parse(protect.reveal(row.sealed, binding)) as [string, string])
  return webhookDataInTurns(parseJson(request) as StoredRequest, rawBody)
}
