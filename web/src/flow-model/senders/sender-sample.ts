// Sample events of a sender as a flow would get them, for templates that are written before the first real one came.
import type { SenderSample } from '../../api/api-types.ts'

/** Returns the root `webhook` that such an event would give. */
export function sampleWebhook({ headers = {}, query = {}, contentType, ...sample }: SenderSample, at: string): object {
  const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const { body, rawBody, type } = contentOf(sample)
  const sentType = contentType ?? type
  return {
    body,
    headers: { ...lowerCase, 'content-type': sentType },
    query,
    queryAll: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    rawBody,
    metadata: {
      requestId: 'req_of_this_sample',
      receivedAt: at,
      method: 'POST',
      path: '/api/v1/webhooks/of-this-flow',
      ip: '203.0.113.7',
      userAgent: lowerCase['user-agent'] ?? null,
      contentType: sentType,
      contentLength: rawBody.length,
      test: true,
    },
  }
}

function contentOf({ body, form, text }: Pick<SenderSample, 'body' | 'form' | 'text'>) {
  if (form)
    return { body: form, rawBody: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' }
  if (text !== undefined) return { body: text, rawBody: text, type: 'text/plain' }
  return { body, rawBody: JSON.stringify(body ?? null), type: 'application/json' }
}
