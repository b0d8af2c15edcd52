// The HTTP server. Webhooks and callbacks are taken from the first moment. The API and the UI are loaded a little later, or when
// they are first asked for: half of the time of a start would be theirs.
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { withoutHurry } from '../base/v8/tune-v8.ts'
import { createAuthenticate } from './access/authenticate.ts'
import { createSessionCookie } from './access/session-cookie.ts'
import type { Api, ServerOptions } from './api.ts'
import { createClientAddress } from './client-address.ts'
import { EventStreams } from './event-stream.ts'
import { answerMalformed } from './malformed-request.ts'
import { createCallbackListener } from './webhooks/callback-listener.ts'
import { createRefusals, createWebhookListener, type WebhookListener } from './webhooks/listener.ts'
import { type Origins, onOneOrigin, onTwoOrigins } from './webhooks/origin.ts'
import { PlainConnections } from './webhooks/plain/connections.ts'
import { KEEP_ALIVE_MS } from './webhooks/plain/plain-reply.ts'
import { traceWebhooks } from './webhooks/trace-webhooks.ts'

export interface Server {
  http: HttpServer
  streams: EventStreams
  /** Requests for the API wait for this. */
  loadApi(): Promise<Api>
  /** The API takes no more requests, and no connection more than the one that it is serving. */
  close(): Promise<void>
  /** Closes the connections that are left. */
  cutOff(): void
}

/** Slow senders are cut off: headers within 15 s, the whole request within 2 minutes. */
const HEADERS_MS = 15_000
const REQUEST_MS = 120_000

export function createServer(options: ServerOptions): Server {
  const { services, onBug } = options
  const clientAddress = createClientAddress(options.trustProxy)
  const cookie = createSessionCookie(services.baseUrl)
  const authenticate = createAuthenticate(services, cookie, clientAddress, options.adminToken)
  const streams = new EventStreams(authenticate)

  let loading: Promise<Api> | null = null
  let loaded: Api | null = null
  const loadApi = () => {
    loading ??= withoutHurry(async () => {
      const { createApi } = await import('./api.ts')
      loaded = await createApi(http, options, { authenticate, clientAddress, cookie, streams })
      return loaded
    })
    return loading
  }
  const api: RequestListener = (request, response) => {
    if (loaded) loaded.handle(request, response)
    else void loadApi().then(({ handle }) => handle(request, response))
  }

  const refusals = createRefusals()
  const listener = createWebhookListener(services, clientAddress, onBug, refusals)
  const callbacks = createCallbackListener(services, authenticate, clientAddress, onBug)
  const webhooks = options.tracing ? traceWebhooks(listener, options.tracing) : listener
  const listeners = { webhooks, callbacks, api }
  const origins = options.webhooksApart ? onTwoOrigins(services, listeners) : onOneOrigin(listeners)
  const http = listenOn(options.healthOnly ? () => api : origins.choose, api)
  http.on('clientError', (error, socket) => answerMalformed(error, socket as Socket, services.ids.next('req')))
  const plain = options.healthOnly ? null : acceptPlain(http, origins.plain)
  return {
    http,
    streams,
    loadApi,
    async close() {
      plain?.close()
      refusals.stop()
      await (await loading)?.close()
    },
    cutOff() {
      plain?.destroyAll()
      http.closeAllConnections()
    },
  }
}

/** Has connections go to node:http only when something comes on them that is not plain. */
function acceptPlain(http: HttpServer, take: WebhookListener): PlainConnections {
  const serving = http.listeners('connection')
  const late = Object.assign(new Error('nothing came'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const plain = new PlainConnections({
    take,
    leave(socket) {
      for (const serve of serving) serve.call(http, socket)
    },
    late: (socket) => http.emit('clientError', late, socket),
    firstWithinMs: HEADERS_MS,
  })
  http.removeAllListeners('connection')
  http.on('connection', (socket) => plain.accept(socket))
  return plain
}

/** One server for the API and for what goes past its router. */
function listenOn(choose: Origins['choose'], api: RequestListener): HttpServer {
  const listen: RequestListener = (request, response) => choose(request)(request, response)
  const server = createHttpServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      // Checks often, so that a thousand slow senders are not cut off in one turn of the event loop.
      connectionsCheckingInterval: 100,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16_384,
      // faultOfHead checks this, so that the answer has the shape of all others.
      requireHostHeader: false,
    },
    listen,
  )
  server.maxHeadersCount = 0
  // Webhooks say "continue" themselves, once they know that they want the body.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const chosen = choose(request)
    if (chosen === api) response.writeContinue()
    chosen(request, response)
  })
  // Other expectations are ignored, as RFC 9110 (10.1.1) allows.
  server.on('checkExpectation', listen)
  return server
}
