// Webhook data that a person gives for a test, completed to what a delivery would have brought.
import { collectPairs, isJsonType, lastValues, mediaType, parseBody, type WebhookData } from '../engine/webhook-data.ts'
import { OperationError } from './operation-error.ts'
import type { SampleRecord } from './ports.ts'
import type { Services } from './services.ts'

export type GivenWebhook = Partial<Pick<WebhookData, 'body' | 'headers' | 'query' | 'rawBody'>>

export function givenWebhook(
  services: Services,
  given: GivenWebhook | undefined,
  latest: SampleRecord | undefined,
): WebhookData {
  if (given === undefined && latest) return latest.webhook
  const headers: Record<string, string> = Object.create(null)
  headers['content-type'] = 'application/json'
  for (const [name, value] of Object.entries(given?.headers ?? {})) headers[name.toLowerCase()] = String(value)
  const contentType = headers['content-type']!
  const body = given?.body ?? {}
  const rawBody =
    given?.rawBody ??
    (isJsonType(mediaType(contentType)) ? JSON.stringify(body) : typeof body === 'string' ? body : JSON.stringify(body))
  const queryAll = collectPairs(Object.entries(given?.query ?? {}).map(([name, value]) => [name, String(value)]))
  return {
    body: given?.body !== undefined ? given.body : parsed(contentType, rawBody),
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

function parsed(contentType: string, rawBody: string): unknown {
  try {
    return parseBody(contentType, rawBody)
  } catch {
    throw new OperationError('invalid_request', 'webhook.rawBody is not valid JSON; give webhook.body instead.')
  }
}
