// Writes a flow's reply to the webhook's caller.
import type { ServerResponse } from 'node:http'
import type { CallerReply } from '../../engine/step-kind.ts'
import { isContentType, isReplyHeaderAllowed } from '../../flow/reply-header.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export function answerCaller(
  response: ServerResponse,
  requestId: string,
  { status, headers, body }: CallerReply,
): void {
  const sent: string[] = []
  let contentType: string | null = null
  for (const { name, value } of headers) {
    // A reply from another process may come from a version of Millrace with other rules.
    if (!isReplyHeaderAllowed(name, value)) continue
    if (isContentType(name)) contentType = value
    else sent.push(name, value)
  }
  if (body === undefined || status === 204 || status === 304) {
    if (contentType) sent.push('content-type', contentType)
    writeReply(response, requestId, status, sent, null)
    return
  }
  const isText = typeof body === 'string' && contentType !== null && !/json/i.test(contentType)
  sent.push('content-type', contentType ?? JSON_TYPE)
  writeReply(response, requestId, status, sent, isText ? (body as string) : JSON.stringify(body))
}

/** Headers as a flat list of names and values. */
export function writeReply(
  response: ServerResponse,
  requestId: string,
  status: number,
  headers: string[],
  body: string | null,
): void {
  headers.push('x-request-id', requestId)
  // For every type: a page that a flow sends must not act with the rights of the UI, which may have the same origin.
  headers.push('content-security-policy', 'sandbox', 'x-content-type-options', 'nosniff')
  if (body !== null) headers.push('content-length', String(Buffer.byteLength(body)))
  else if (status !== 204 && status !== 304) headers.push('content-length', '0')
  response.writeHead(status, headers)
  response.end(body ?? undefined)
}
