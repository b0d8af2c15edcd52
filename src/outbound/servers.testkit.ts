// Starts real servers on the loopback interface for the tests of this folder and of the HTTP step.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { OutboundError, OutboundReply, OutboundRequest } from '../engine/ports/http-client.ts'
import { createHttpClient, type HttpClientOptions, type OutboundClient } from './http-client.ts'

export interface TestServer {
  port: number
  origin: string
  sockets: Set<Socket>
}

const certificate = (name: string) =>
  readFileSync(new URL(`./certificates.testkit/${name}.pem`, import.meta.url), 'utf8')
export const authority = certificate('authority')

async function listen(server: Server, scheme: string, host = '127.0.0.1'): Promise<TestServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  return { port, origin: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`, sockets }
}

export const httpServer = (handle: RequestListener, host?: string) => listen(createServer(handle), 'http', host)

export const tlsServer = (name: string, handle: RequestListener) =>
  listen(createSecureServer({ key: certificate('key'), cert: certificate(name) }, handle), 'https')

/** Starts a server that answers every request, given the bytes of its head, with what `reply` writes. */
export const rawServer = (reply: (socket: Socket, head: string) => void) =>
  listen(
    createTcpServer((socket) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        const end = text.indexOf('\r\n\r\n')
        if (end === -1) return
        const head = text.slice(0, end)
        text = ''
        reply(socket, head)
      })
    }),
    'http',
  )

export const OWN = {
  origin: 'http://localhost:1',
  webhookOrigin: 'http://localhost:1',
  webhookPrefix: '/api/v1/webhooks/',
  hopHeader: 'X-Millrace-Hops',
  endpoints: [] as { host: string; port: number }[],
}

export function client(options: Partial<HttpClientOptions> = {}): OutboundClient {
  const made = createHttpClient({ allow: ['loopback'], own: OWN, concurrency: 64, perHost: 64, ...options })
  onTestFinished(() => made.close())
  return made
}

export function get(from: OutboundClient, url: string, more: Partial<OutboundRequest> = {}): Promise<OutboundReply> {
  const request = {
    method: 'GET',
    headers: [],
    body: null,
    timeoutMs: 20_000,
    followRedirects: true,
    hops: 0,
    signal: null,
  }
  return from.send({ ...request, url, ...more })
}

/** Returns the error that a request ends with. */
export async function failure(reply: Promise<OutboundReply>): Promise<OutboundError> {
  try {
    await reply
  } catch (error) {
    return error as OutboundError
  }
  throw new Error('The request did not fail')
}

export const header = (name: string, value: string, credential = false) => ({ name, value, credential })
export const text = (reply: OutboundReply) => Buffer.from(reply.body).toString()
