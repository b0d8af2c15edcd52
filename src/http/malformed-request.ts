// Refuses requests that are not valid HTTP, or only just, before any route sees them, and closes the socket.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { API_ERRORS, CODE } from '../base/error-catalogue.ts'
import { closeSoon } from './early-end.ts'
import { failureBody } from './failure.ts'
import { mayTakeLonger } from './longer-time.ts'

/** Finds what the parser accepts although it is an attack or a mistake. */
export function faultOfHead(raw: Pick<IncomingMessage, 'url' | 'rawHeaders' | 'httpVersion'>): string | null {
  if (!raw.url!.startsWith('/')) return 'The request target must be a path.'
  let hosts = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = raw.rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 0 && raw.httpVersion === '1.1') return 'The Host header is missing.'
  return hosts > 1 ? 'There is more than one Host header.' : null
}

/** What the HTTP parser refuses. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  if (timedOut && mayTakeLonger(socket)) return
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? CODE.headers_too_large : CODE.bad_request
  const { status, message } = timedOut
    ? { status: 408, message: 'The request took too long to arrive.' }
    : API_ERRORS[code]
  const body = JSON.stringify(failureBody(code, message, requestId))
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nContent-Security-Policy: sandbox\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  )
  closeSoon(socket)
}
