// Reads a webhook request: its head as received, its body within the limit, and an early end if the body is not wanted.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { collectPairs } from '../../engine/webhook-data.ts'
import { formPairs } from '../../flow/form-pairs.ts'
import type { DeliveryHead } from '../../operations/deliveries/admit-delivery.ts'
import { type BodyHold, SMALL_BODY } from '../../operations/deliveries/body-budget.ts'
import { withoutOwnCookies } from '../access/cookies.ts'

export const HOP_HEADER = 'X-Millrace-Hops'

export function readHead(
  raw: IncomingMessage,
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
    rawHeaders: raw.rawHeaders,
    headers,
    queryAll: question === -1 ? Object.create(null) : collectPairs(formPairs(url.slice(question + 1))),
    hops: hopsOf(headers[HOP_HEADER.toLowerCase()]),
    metadata: {
      requestId,
      receivedAt: new Date(now).toISOString(),
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
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const value = rawHeaders[i + 1]!
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return headers
}

/** A value that is not a small number counts as too deep. */
function hopsOf(value: string | undefined): number {
  if (value === undefined) return 0
  return /^\d{1,3}$/.test(value) ? Number(value) : Number.MAX_SAFE_INTEGER
}

/** Says whether the body of this request may be large, so that it must be counted. */
export const mayBeLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? 0) > SMALL_BODY ||
  headers['transfer-encoding'] !== undefined ||
  headers['content-encoding'] !== undefined

/** too_large, no_room: the rest of the body is not read. cut_off: the sender went away, or sent an invalid body. */
export function readBody(
  raw: IncomingMessage,
  maxBytes: number,
  hold: BodyHold | null,
): Promise<Buffer | 'too_large' | 'no_room' | 'cut_off'> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let size = 0
    const leave = (reason: 'too_large' | 'no_room') => {
      raw.removeAllListeners('data')
      raw.pause()
      chunks = []
      resolve(reason)
    }
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) leave('too_large')
      else if (hold && !hold.reach(size)) leave('no_room')
      else chunks.push(chunk)
    })
    raw.on('end', () => {
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      // The request stays in memory until its reply is sent: it must not keep the bytes.
      chunks = []
    })
    raw.on('error', () => resolve('cut_off'))
    raw.on('aborted', () => resolve('cut_off'))
  })
}

const DECODERS: Record<string, (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** Decodes a content encoding and counts the result: there must be room for the largest body before it exceeds a small one. */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
  hold: BodyHold | null,
): Promise<Buffer | 'too_large' | 'no_room' | 'undecodable'> {
  const name = encoding?.trim().toLowerCase()
  if (!name || name === 'identity') return body
  const decode = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (!decode) return 'undecodable'
  for (const most of [Math.min(SMALL_BODY, maxBytes), maxBytes]) {
    if (most > SMALL_BODY && hold && !hold.reach(body.length + most)) return 'no_room'
    try {
      const decoded = await decode(body, { maxOutputLength: most })
      hold?.shrink(decoded.length)
      return decoded
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') return 'undecodable'
    }
  }
  return 'too_large'
}

const LINGER_MS = 1000

/** Half-closes, and destroys a moment later: a peer that never closes its side must not keep the socket. */
export function closeSoon(socket: Socket): void {
  socket.end()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** Skips the body for a refusal. Returns true if it is still arriving: then the reply must say that the socket closes. */
export async function leaveBody(raw: IncomingMessage): Promise<boolean> {
  // One turn later the parser has read a small body, and the socket can stay open.
  if (!raw.complete) await nextTurn()
  if (raw.complete) return false
  closeAfterReply(raw)
  return true
}

/**
 * The reply goes out although the sender is still sending. Closing immediately would make the kernel reset the socket,
 * and the sender might never see the reply: the socket is half-closed first and destroyed a moment later.
 */
function closeAfterReply(raw: IncomingMessage): void {
  const socket = raw.socket as Socket & { destroySoon(): void }
  raw.pause()
  socket.destroySoon = () => closeSoon(socket)
}
