// Opens a socket to a proxy and, for https, a tunnel through it (CONNECT).
import { request as httpRequest } from 'node:http'
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { dialFailure, proxyFailed } from '../failures.ts'
import type { ProxyServer } from './proxy-settings.ts'

const MAX_HEAD_BYTES = 16_384

/** Where the tunnel leads. */
interface Beyond {
  protocol: string
  hostname: string
  port: number
}

/** Hands over a socket that takes requests in absolute form for http, or that is as good as one to the host for https. */
export function openThroughProxy(
  proxy: ProxyServer,
  beyond: Beyond,
  { lookup, secureContext }: { lookup: LookupFunction; secureContext: SecureContext },
  callback: (error: Error | null, socket: Socket | null) => void,
): { destroy(): void } {
  const tcp = { host: proxy.host, port: proxy.port, lookup, autoSelectFamily: true }
  const servername = isIP(proxy.host) ? undefined : proxy.host
  const socket: Socket = proxy.secure
    ? tlsConnect({ ...tcp, secureContext, servername, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
    : netConnect(tcp)
  let answered = false
  const answer = (error: Error | null): void => {
    if (answered) return
    answered = true
    if (error) socket.destroy()
    callback(error, error ? null : socket)
  }
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 60_000)
  socket.on('error', (error) => {
    const untrusted = Boolean((socket as Partial<TLSSocket>).authorizationError)
    answer(proxyFailed(proxy, `cannot be used: ${dialFailure(error, proxy.host, proxy.port, untrusted, null).message}`))
  })
  socket.once(proxy.secure ? 'secureConnect' : 'connect', () => {
    if (beyond.protocol === 'http:') answer(null)
    else askForTunnel(proxy, beyond, socket, answer)
  })
  return {
    destroy() {
      answered = true
      socket.destroy()
    },
  }
}

function askForTunnel(
  proxy: ProxyServer,
  { hostname, port }: Beyond,
  socket: Socket,
  answer: (error: Error | null) => void,
): void {
  const authority = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
  const request = httpRequest({
    method: 'CONNECT',
    path: authority,
    setHost: false,
    headers: {
      Host: authority,
      Connection: 'keep-alive',
      'User-Agent': 'Millrace',
      ...(proxy.authorization && { 'Proxy-Authorization': proxy.authorization }),
    },
    maxHeaderSize: MAX_HEAD_BYTES,
    createConnection: () => socket,
  })
  request.once('connect', ({ statusCode = 0 }, _socket, more) => {
    if (statusCode < 200 || statusCode > 299) answer(refusedTunnel(proxy, authority, statusCode))
    // In TLS the client speaks first: whatever comes before is not from the host.
    else if (more.length > 0) answer(proxyFailed(proxy, 'sent data ahead of the host'))
    else answer(null)
  })
  request.on('error', (error: NodeJS.ErrnoException) => answer(proxyFailed(proxy, noReply(error))))
  request.end()
}

function refusedTunnel(proxy: ProxyServer, authority: string, status: number): Error {
  if (status === 407) return askedForUser(proxy)
  return proxyFailed(
    proxy,
    status === 502 || status === 503 || status === 504
      ? `could not connect to ${authority}: it replied ${status}`
      : `refused to connect to ${authority}: it replied ${status}`,
  )
}

export function askedForUser(proxy: ProxyServer): ReturnType<typeof proxyFailed> {
  return proxyFailed(
    proxy,
    proxy.authorization === null
      ? 'asks for a user and password, and the setting has none'
      : 'does not accept the user and password of the setting',
  )
}

function noReply({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'sent more than 16 KiB of headers in place of a tunnel'
  if (code.startsWith('HPE_')) return 'sent what is not HTTP in place of a tunnel'
  if (code === 'ECONNRESET') return 'closed the connection without a reply'
  return `gave no tunnel: ${code || message}`
}
