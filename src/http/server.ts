// The HTTP server: what holds for every request, and all routes.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { FlowTextError, parseFlowText } from '../flow/flow-text.ts'
import { OperationError } from '../operations/operation-error.ts'
import type { Actor, Services } from '../operations/services.ts'
import { ACCESS, reaches } from './access.ts'
import type { Authenticate } from './authenticate.ts'
import { compileRequestCheck } from './check-request.ts'
import { EventStreams } from './event-stream.ts'
import { createErrorHandler, failureBody, sendFailure } from './failure.ts'
import type { Metrics } from './metrics.ts'
import { flowRoutes } from './routes/flows.ts'
import { runRoutes } from './routes/runs.ts'
import { systemRoutes } from './routes/system.ts'
import { webhookMethodNotAllowed, webhookRoutes } from './routes/webhooks.ts'
import { closeSoon } from './webhook-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
  }
}

export interface ServerOptions {
  services: Services
  authenticate: Authenticate
  metrics: Metrics
  ready(): Promise<boolean>
  trustProxy: string[]
  version: string
  flowSchema: object
  onBug(error: unknown, route: string): void
}

/** A management request's body; flow documents are far smaller. */
const MAX_API_BODY = 5 * 1024 * 1024

export interface Server {
  fastify: FastifyInstance
  streams: EventStreams
}

export async function createServer(options: ServerOptions): Promise<Server> {
  const { services } = options
  const streams = new EventStreams()
  const fastify = Fastify({
    logger: false,
    trustProxy: options.trustProxy.length ? options.trustProxy : false,
    bodyLimit: MAX_API_BODY,
    genReqId: () => services.ids.next('req'),
    requestIdHeader: false,
    // Slow senders are cut off: headers within 15 s, the whole request within 2 minutes.
    http: {
      headersTimeout: 15_000,
      requestTimeout: 120_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16_384,
      // Checked below, where the answer has the shape of all others.
      requireHostHeader: false,
    },
    requestTimeout: 120_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, services.ids.next('req')),
    // Paths that cannot be decoded or are too long; the hooks do not run for them.
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id)
      return notFound(services, request as FastifyRequest, reply as FastifyReply)
    },
  })
  fastify.server.maxHeadersCount = 0
  // Webhooks say "continue" themselves, once they know that they want the body.
  fastify.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!isWebhook(request.url!)) response.writeContinue()
    fastify.server.emit('request', request, response)
  })
  fastify.setValidatorCompiler(compileRequestCheck as never)
  // The response schemas document; what is sent is what the operations return.
  fastify.setSerializerCompiler(() => JSON.stringify)
  fastify.setErrorHandler(createErrorHandler(options.onBug))
  fastify.decorateRequest('actor', null)

  await fastify.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Millrace', version: options.version, description: 'Flows started by webhooks, run durably.' },
      servers: [{ url: services.baseUrl }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
  })

  fastify.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
    const fault = faultOfHead(request.raw)
    if (fault) {
      void reply.header('connection', 'close')
      return sendFailure(reply, 'bad_request', fault)
    }
    // At once: a method that is not allowed comes before whatever may be wrong with the body.
    if (request.is404) return notFound(services, request, reply)
    return authorize(request, reply, options.authenticate)
  })
  // Each route must be in the access table: a forgotten one stops the start, not the guard.
  fastify.addHook('onRoute', (route) => {
    for (const method of [route.method].flat())
      if (method !== 'HEAD' && !ACCESS[`${method} ${route.url}`])
        throw new Error(`${method} ${route.url} is not in the access table`)
  })

  fastify.setNotFoundHandler((request, reply) => notFound(services, request, reply))
  await fastify.register(async (scope) => webhookRoutes(scope, services))
  await fastify.register(async (scope) => {
    acceptYaml(scope)
    flowRoutes(scope, services, streams, options.flowSchema)
    runRoutes(scope, services, streams)
    systemRoutes(scope, options)
    scope.get('/api/v1/openapi.json', { schema: { hide: true } }, () => Promise.resolve(fastify.swagger()))
  })
  return { fastify, streams }
}

const isWebhook = (url: string): boolean => url.startsWith('/api/v1/webhooks/')

/** What the parser lets through although it is a trick or a mistake. */
function faultOfHead(raw: IncomingMessage): string | null {
  if (!raw.url!.startsWith('/')) return 'The request target must be a path.'
  let hosts = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) if (raw.rawHeaders[i]!.toLowerCase() === 'host') hosts++
  if (hosts === 0 && raw.httpVersion === '1.1') return 'The Host header is missing.'
  return hosts > 1 ? 'There is more than one Host header.' : null
}

async function authorize(
  request: FastifyRequest,
  reply: FastifyReply,
  authenticate: Authenticate,
): Promise<FastifyReply | undefined> {
  const route = request.routeOptions.url
  if (route === undefined) return
  const needed = ACCESS[`${request.method === 'HEAD' ? 'GET' : request.method} ${route}`] ?? 'admin'
  if (needed === 'open') return
  request.actor = authenticate(request.headers.authorization)
  if (!request.actor) {
    void reply.header('www-authenticate', 'Bearer')
    return sendFailure(reply, 'unauthorized', 'This needs a token: send Authorization: Bearer <token>.')
  }
  if (!reaches(request.actor.scope, needed))
    return sendFailure(reply, 'forbidden', `This needs a token with the scope ${needed}.`)
  return
}

async function notFound(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const match = /^\/api\/v1\/webhooks\/([^/?]*)(\/test)?(?:\?|$)/.exec(request.raw.url!)
  if (match && request.method !== 'POST')
    return webhookMethodNotAllowed(services, request, reply, match[1]!, match[2] !== undefined)
  if (isWebhook(request.raw.url!))
    return sendFailure(
      reply,
      'webhook_not_found',
      'There is no webhook at this URL. Check the URL, and that its flow is published.',
    )
  return sendFailure(
    reply,
    'not_found',
    `There is nothing at ${request.method} ${request.raw.url!.split('?', 1)[0]!.slice(0, 200)}.`,
  )
}

function acceptYaml(app: FastifyInstance): void {
  app.addContentTypeParser(
    ['application/yaml', 'application/x-yaml', 'text/yaml'],
    { parseAs: 'string' },
    (_request, body, done) => {
      try {
        done(null, parseFlowText(body as string))
      } catch (error) {
        if (!(error instanceof FlowTextError)) throw error
        done(new OperationError('invalid_request', `The YAML has a fault: ${error.message}`))
      }
    },
  )
}

const MALFORMED: Record<string, [number, 'headers_too_large' | 'bad_request', string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are larger than 16 KiB.'],
}

/** What the HTTP parser refuses never reaches a route: answered here, and the connection closed. */
function answerMalformed(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const [status, code, message] = timedOut
    ? ([408, 'bad_request', 'The request took too long to arrive.'] as const)
    : (MALFORMED[error.code ?? ''] ?? ([400, 'bad_request', 'The request is not valid HTTP.'] as const))
  const body = JSON.stringify(failureBody(code, message, requestId))
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
  closeSoon(socket)
}
