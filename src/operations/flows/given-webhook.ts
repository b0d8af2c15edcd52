// Builds webhook data for a test from what the user gives; missing parts come from the latest sample or from defaults.
import { CODE } from '../../base/error-catalogue.ts'
import {
  collectPairs,
  isJsonType,
  lastValues,
  mediaType,
  parseBody,
  type WebhookData,
} from '../../engine/webhook-data.ts'
import { OperationError } from '../operation-error.ts'
import type { SampleRecord } from '../ports/deliveries.ts'
import type { FlowServices } from './services.ts'

export type GivenWebhook = Partial<Pick<WebhookData, 'body' | 'headers' | 'query' | 'rawBody'>>

export function givenWebhook(
  services: FlowServices,
  given: GivenWebhook | undefined,
  latest: SampleRecord | null,
): WebhookData {
  const sample = latest?.webhook
  if (given === undefined && sample) return sample
  const headers: Record<string, string> = Object.create(null)
  headers['content-type'] = 'application/json'
  for (const [name, value] of Object.entries(given?.headers ?? sample?.headers ?? {}))
    headers[name.toLowerCase()] = String(value)
  const contentType = headers['content-type']!
  const queryAll = given?.query
    ? collectPairs(Object.entries(given.query).map(([name, value]) => [name, String(value)]))
    : (sample?.queryAll ?? Object.create(null))
  const { body, rawBody } =
    given?.body === undefined && given?.rawBody === undefined && sample ? sample : givenBody(given, contentType)
  return {
    body,
    headers,
    query: lastValues(queryAll),
    queryAll,
    rawBody,
    metadata: {
      requestId: services.ids.next('req'),
      receivedAt: new Date(services.now()).toISOString(),
      method: 'POST',
      path: '',
      ip: '127.0.0.1',
      userAgent: headers['user-agent'] ?? null,
      contentType,
      contentLength: Buffer.byteLength(rawBody),
      test: true,
    },
  }
}

function givenBody(given: GivenWebhook | undefined, contentType: string): Pick<WebhookData, 'body' | 'rawBody'> {
  const body = given?.body ?? {}
  const isText = typeof body === 'string' && !isJsonType(mediaType(contentType))
  const rawBody = given?.rawBody ?? (isText ? body : JSON.stringify(body))
  return { body: given?.body !== undefined ? given.body : parsed(contentType, rawBody), rawBody }
}

function parsed(contentType: string, rawBody: string): unknown {
  try {
    return parseBody(contentType, rawBody)
  } catch {
    throw new OperationError(CODE.invalid_request, 'webhook.rawBody is not valid JSON; give webhook.body instead.')
  }
}
