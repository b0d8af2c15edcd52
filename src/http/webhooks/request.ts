// Reads a webhook request: its head as received, and its body within the limits.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BareObject } from '../../base/bare-object.ts'
import { CODE } from '../../base/error-catalogue.ts'
import { isoTime } from '../../engine/iso-time.ts'
import { collectPairs } from '../../engine/webhook-data.ts'
import { formPairs } from '../../flow/form-pairs.ts'
import { type BodyHold, SMALL_BODY } from '../../operations/deliveries/body-budget.ts'
import { type DeliveryHead, hopsOf } from '../../operations/deliveries/delivery-head.ts'
import { noRoom, Rejection, tooLarge } from '../../operations/deliveries/rejection.ts'
import { withoutOwnCookies } from '../access/cookies.ts'
import { decodeBody } from './decode-body.ts'

export function readHead(
  raw: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
  {
    webhookId,
    test,
    ip,
    requestId,
    now,
  }: { webhookId: string; test: boolean; ip: string; requestId: string; now: number },
): DeliveryHead {
  const headers = lowerCaseHeaders(raw.rawHeaders)
  // A browser sends the session's cookie to Millrace's own host: users who may read deliveries must not get it.
  if (headers['cookie'] !== undefined) setOrDelete(headers, 'cookie', withoutOwnCookies(headers['cookie']))
  const url = raw.url!
  const question = url.indexOf('?')
  return {
    webhookId,
    test,
    method: raw.method!,
    target: url,
    rawHeaders: raw.rawHeaders,
    headers,
    queryAll:
      question === -1
        ? (new BareObject() as Record<string, string[]>)
        : collectPairs(formPairs(url.slice(question + 1))),
    hops: hopsOf(headers),
    metadata: {
      requestId,
      receivedAt: isoTime(now),
      method: raw.method!,
      path: question === -1 ? url : url.slice(0, question),
      ip,
      userAgent: headers['user-agent'] ?? null,
      contentType: headers['content-type'] ?? null,
      contentLength: Number(headers['content-length'] ?? 0),
      test,
    },
  }
}

function setOrDelete(headers: Record<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) delete headers[name]
  else headers[name] = value
}

/** Repeated headers are joined by `, `. */
function lowerCaseHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers = new BareObject() as Record<string, string>
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const value = rawHeaders[i + 1]!
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return headers
}

/** Says whether the body of this request may be large, so that it must be counted. */
export const mayBeLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? 0) > SMALL_BODY ||
  headers['transfer-encoding'] !== undefined ||
  headers['content-encoding'] !== undefined

/** Asks a sender that waits for it to send its body. */
export function sayContinue({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect && /\b100-continue\b/i.test(headers.expect)) response.writeContinue()
}

/** The body without its content encoding. Throws Rejection. */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, metadata }: DeliveryHead,
  maxBytes: number,
  hold: BodyHold | null,
): Promise<Buffer> {
  // What is declared is made sure of first: otherwise many would be read in part, and none of them to its end.
  if (hold && !hold.reach(metadata.contentLength)) throw noRoom()
  sayContinue(request, response)
  const bytes = await readBytes(request, maxBytes, hold)
  const encoding = headers['content-encoding']
  return encoding === undefined ? bytes : decodeBody(bytes, encoding, maxBytes, hold)
}

function readBytes(raw: IncomingMessage, maxBytes: number, hold: BodyHold | null): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    // The rest of it is not read.
    const leave = (rejection: Rejection) => {
      raw.removeAllListeners('data')
      raw.pause()
      chunks = []
      reject(rejection)
    }
    const cutOff = () => reject(new Rejection(CODE.bad_request, 'The body ended before its declared end.'))
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) leave(tooLarge(maxBytes))
      else if (hold && !hold.reach(size)) leave(noRoom())
      else chunks.push(chunk)
    })
    raw.on('end', () => {
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      // The request stays in memory until its reply is sent: it must not keep the bytes.
      chunks = []
    })
    raw.on('error', cutOff)
    raw.on('aborted', cutOff)
  })
}
