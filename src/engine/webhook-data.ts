// Builds the data that a flow reads as `webhook`, from a delivery or from its stored parts.

import { formPairs } from '../flow/form-pairs.ts'
import { parseJson } from '../flow/parse-json.ts'

/** The root `webhook`: docs/webhooks.md#what-a-flow-gets */
export interface WebhookData {
  body: unknown
  headers: Record<string, string>
  query: Record<string, string>
  queryAll: Record<string, string[]>
  rawBody: string
  metadata: WebhookMetadata
}

export interface WebhookMetadata {
  requestId: string
  receivedAt: string
  method: string
  path: string
  ip: string
  userAgent: string | null
  contentType: string | null
  contentLength: number
  test: boolean
}

/** The parts of a delivery that are stored as JSON. The body is stored separately, as received. */
export type StoredRequest = Pick<WebhookData, 'headers' | 'queryAll' | 'metadata'>

export const storedRequest = ({ headers, queryAll, metadata }: WebhookData): StoredRequest => ({
  headers,
  queryAll,
  metadata,
})

export function webhookData(request: StoredRequest, rawBody: string): WebhookData {
  return {
    body: bodyOf(request.metadata.contentType, rawBody),
    headers: request.headers,
    query: lastValues(request.queryAll),
    queryAll: request.queryAll,
    rawBody,
    metadata: request.metadata,
  }
}

/** Returns the parsed body, or its text if it is invalid: a rejected delivery may hold such a body. */
function bodyOf(contentType: string | null, rawBody: string): unknown {
  try {
    return parseBody(contentType, rawBody)
  } catch {
    return rawBody === '' ? null : rawBody
  }
}

export function lastValues(all: Record<string, string[]>): Record<string, string> {
  const last: Record<string, string> = Object.create(null)
  for (const name in all) last[name] = all[name]!.at(-1)!
  return last
}

/** Collects name/value pairs of query strings and form bodies into a map of lists. */
export function collectPairs(pairs: Iterable<[string, string]>): Record<string, string[]> {
  const all: Record<string, string[]> = Object.create(null)
  for (const [name, value] of pairs) {
    const list = all[name]
    if (list) list.push(value)
    else all[name] = [value]
  }
  return all
}

/** HTTP ignores spaces and tabs around the parts of a header, and no other characters. */
const OPTIONAL_SPACE = /^[ \t]+|[ \t]+$/g

export function mediaType(contentType: string | null): string {
  // Nearly all senders send exactly this type.
  if (contentType === 'application/json') return contentType
  return (contentType ?? '').split(';', 1)[0]!.replaceAll(OPTIONAL_SPACE, '').toLowerCase()
}

export const FORM_TYPE = 'application/x-www-form-urlencoded'

export const isJsonType = (type: string): boolean => type === 'application/json' || type.endsWith('+json')

/** Throws SyntaxError if the content type is JSON and the body is not. */
export function parseBody(contentType: string | null, rawBody: string): unknown {
  const type = mediaType(contentType)
  if (isJsonType(type)) return parseJson(rawBody)
  if (type === FORM_TYPE) return lastValues(collectPairs(formPairs(rawBody)))
  return rawBody
}
