// Writes a flow's reply to the webhook's caller.
import type { ServerResponse } from 'node:http'
import type { CallerReply } from '../../engine/step-kind.ts'
import { charsetOf, encodeText, isWritable } from '../../flow/formats/charsets.ts'
import { isLarge, writeJson } from '../../flow/json/write-json.ts'
import { isContentType, isReplyHeaderAllowed } from '../../flow/reply-header.ts'
import type { PlainReply } from './plain/plain-reply.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Returns a promise where the body is large, which takes several turns of the event loop. */
export function answerCaller(
  response: ServerResponse | PlainReply,
  requestId: string,
  { status, headers, body }: CallerReply,
): void | Promise<void> {
  const { contentType, others: sent } = headersOf(headers)
  if (body === undefined || status === 204 || status === 304) {
    if (contentType) sent.push('content-type', contentType)
    return writeReply(response, requestId, status, sent, null)
  }
  sent.push('content-type', contentType ?? JSON_TYPE)
  const answer = (text: string | Uint8Array) => writeReply(response, requestId, status, sent, text)
  if (typeof body === 'string' && contentType !== null && !/json/i.test(contentType))
    return answer(encoded(body, contentType))
  return isLarge(body) ? writeJson(body).then(answer) : answer(JSON.stringify(body))
}

/** Writes the text in the charset of its type. A reply cannot fail any more: what the charset lacks is written as well as it can be. */
function encoded(text: string, contentType: string): string | Uint8Array {
  const charset = charsetOf(contentType)
  if (charset === null || !isWritable(charset)) return text
  const isMarkup = /^[^;]*(xml|html)/i.test(contentType)
  return encodeText(text, charset, (code) => (isMarkup ? `&#${code};` : '?'))
}

/** Returns the headers of a reply as a flat list, its content type apart. */
export function headersOf(headers: CallerReply['headers']): { contentType: string | null; others: string[] } {
  const others: string[] = []
  let contentType: string | null = null
  for (const { name, value } of headers) {
    // A reply from another process may come from a version of Millrace with other rules.
    if (!isReplyHeaderAllowed(name, value)) continue
    if (isContentType(name)) contentType = value
    else others.push(name, value)
  }
  return { contentType, others }
}

/** Adds what every reply has. */
export function replyHead(requestId: string, headers: string[]): string[] {
  headers.push('x-request-id', requestId)
  // For every type: a page that a flow sends must not act with the rights of the UI, which may have the same origin.
  headers.push('content-security-policy', 'sandbox', 'x-content-type-options', 'nosniff')
  return headers
}

/** Headers as a flat list of names and values. */
export function writeReply(
  response: ServerResponse | PlainReply,
  requestId: string,
  status: number,
  headers: string[],
  body: string | Uint8Array | null,
): void {
  replyHead(requestId, headers)
  if (body !== null) headers.push('content-length', String(Buffer.byteLength(body)))
  else if (status !== 204 && status !== 304) headers.push('content-length', '0')
  response.writeHead(status, headers)
  response.end(body ?? undefined)
}
