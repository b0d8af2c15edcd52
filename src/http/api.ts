// The API and the UI: the rules for every request, and all routes. `server.ts` loads it after the start.
import type { Server as HttpServer, RequestListener } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { CODE } from '../base/error-catalogue.ts'
import type { DeliveryTracing } from '../engine/ports/tracing.ts'
import { editorSchema } from '../flow/flow-schema.ts'
import { FlowTextError, parseFlowText } from '../flow/flow-text.ts'
import { type JsonLimits, jsonProblem, measureJson, SENDER_LIMITS } from '../flow/json/json-limits.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import { LARGE_JSON, readWithin } from '../flow/json/read-json.ts'
import { OperationError } from '../operations/operation-error.ts'
import type { Actor } from '../operations/ports/access.ts'
import { ACCESS } from './access/access.ts'
import { type Authenticate, countRefused } from './access/authenticate.ts'
import { createAuthorize } from './access/authorize.ts'
import { createKeepAlive, type SessionCookie } from './access/session-cookie.ts'
import { createStayWithin } from './access/stay-within.ts'
import { compileRequestCheck, mayBeLeftOut } from './check-request.ts'
import type { ClientAddress } from './client-address.ts'
import { compressReply } from './compress-replies.ts'
import { createCountBody } from './count-body.ts'
import type { EventStreams } from './event-stream.ts'
import { createErrorHandler, headersOfAll } from './failure.ts'
import { faultOfHead } from './malformed-request.ts'
import { DESCRIPTION, describeApi, REFERENCE } from './pages/api-description.ts'
import { apiDocsPage, type Description } from './pages/api-docs-page.ts'
import { staticUi } from './pages/static-ui.ts'
import { refuse } from './refuse.ts'
import { createResolveFlow } from './resolve-flow.ts'
import { accessRuleRoutes, ownSessionRoutes, twoFactorRoutes } from './routes/access/own-account.ts'
import { roleRoutes } from './routes/access/roles.ts'
import { backChannelRoutes, singleSignOnRoutes } from './routes/access/single-sign-on.ts'
import { alertRoutes } from './routes/alerts.ts'
import { auditRoutes } from './routes/audit.ts'
import { backupRoutes } from './routes/backup.ts'
import { connectionRoutes } from './routes/connections.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { failureRoutes } from './routes/failures.ts'
import { fileRoutes } from './routes/files/files.ts'
import { flowDocumentRoutes } from './routes/flow-documents.ts'
import { flowSourceRoutes } from './routes/flow-sources.ts'
import { flowRoutes } from './routes/flows.ts'
import { keyRoutes } from './routes/keys.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { replayRoutes } from './routes/replays.ts'
import { runRoutes } from './routes/runs.ts'
import { searchRoutes } from './routes/search.ts'
import { senderRoutes } from './routes/senders/senders.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { startRunRoutes } from './routes/start-runs.ts'
import { statsRoutes } from './routes/stats.ts'
import { healthRoutes, type System, systemRoutes } from './routes/system.ts'
import { tokenRoutes, userRoutes } from './routes/users.ts'
import { callbackRoutes } from './routes/waiting/callbacks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
    /** The ids of the flows that a limited token reaches; null: all. */
    reach: readonly string[] | null
  }
}

const KIB = 1024
/** The caller is unknown at sign-in; names, passwords and codes are short. */
const MAX_SIGN_IN_BODY = 16 * KIB
const MAX_BODY = 256 * KIB
/** For flows, and for tests with the data of a delivery. */
const MAX_DOCUMENT = 5 * KIB * KIB
/** Reading YAML takes many times as long as JSON. */
const MAX_YAML = 512 * KIB

export interface ServerOptions extends System {
  adminToken: string | null
  trustProxy: string[]
  /** null: nobody records deliveries. */
  tracing: DeliveryTracing | null
  flowSchema(): object
  /** The folder of the built web UI. */
  uiFolder: string
  /** Serves only health and metrics, for a process that only carries out runs. */
  healthOnly: boolean
  /** Webhooks have an origin of their own. */
  webhooksApart: boolean
  onBug(error: unknown, route: string): void
}

/** Tells who sends a request. */
export interface Visitors {
  authenticate: Authenticate
  clientAddress: ClientAddress
  cookie: SessionCookie
  streams: EventStreams
}

export interface Api {
  handle: RequestListener
  close(): Promise<void>
}

/** Adds the API to a server, which may listen already. */
export async function createApi(
  http: HttpServer,
  options: ServerOptions,
  { authenticate, clientAddress, cookie, streams }: Visitors,
): Promise<Api> {
  const { services } = options
  const flowSchema = options.flowSchema()
  const keepAlive = createKeepAlive(services, cookie)
  const authorize = createAuthorize(authenticate, keepAlive, cookie, services.baseUrl, ({ raw, headers }) =>
    countRefused(services, headers, clientAddress(raw)),
  )
  let handle!: RequestListener
  const fastify = Fastify({
    logger: false,
    bodyLimit: MAX_BODY,
    genReqId: () => services.ids.next('req'),
    requestIdHeader: false,
    serverFactory: (handler) => {
      handle = handler
      return http
    },
    // The server has an answer of its own to malformed requests.
    clientErrorHandler: () => {},
    // Paths that cannot be decoded or are too long; the hooks do not run for them.
    frameworkErrors: (_error, request, reply) => {
      void reply.headers(headersOfAll(request.id))
      void notFound(request as FastifyRequest, reply as FastifyReply)
    },
  })
  fastify.setValidatorCompiler(compileRequestCheck as never)
  // The response schemas document; what is sent is what the operations return.
  fastify.setSerializerCompiler(() => JSON.stringify)
  fastify.setErrorHandler(createErrorHandler(options.onBug))
  fastify.decorateRequest('actor', null)
  fastify.decorateRequest('reach', null)

  await fastify.register(swagger, describeApi(options.settings.version, services.baseUrl, flowSchema))

  fastify.addHook('onRequest', async (request, reply) => {
    void reply.headers(headersOfAll(request.id))
    const fault = faultOfHead(request.raw)
    if (fault) {
      void reply.header('connection', 'close')
      return refuse(reply, CODE.bad_request, fault)
    }
    // Answers immediately, before any problem of the body.
    if (request.is404) return notFound(request, reply)
    return authorize(request, reply)
  })
  fastify.addHook('onRequest', createCountBody(services.bodies))
  // Its body has been read.
  fastify.addHook('preHandler', async ({ method, routeOptions }) =>
    services.watch.begin(`${method} ${routeOptions.url}`),
  )
  fastify.addHook('onSend', compressReply)
  // Each route must be in the access table: a missing one ends the process.
  fastify.addHook('onRoute', (route) => {
    for (const method of [route.method].flat())
      if (method !== 'HEAD' && !ACCESS[`${method} ${route.url}`])
        throw new Error(`${method} ${route.url} is not in the access table`)
  })

  fastify.addHook('preValidation', createResolveFlow(services))
  fastify.addHook('preValidation', createStayWithin(services))

  const add = async (addRoutes: (app: FastifyInstance) => void) => {
    await fastify.register(async (app) => addRoutes(app))
    // Webhooks are taken meanwhile.
    await nextTurn()
  }
  if (options.healthOnly) {
    await add((app) => healthRoutes(app, options))
    fastify.setNotFoundHandler(notFound)
    await fastify.ready()
    return { handle, close: () => fastify.close() }
  }
  await add((app) => {
    acceptJson(app, MAX_SIGN_IN_BODY)
    signInRoutes(app, services, cookie, keepAlive, clientAddress)
    singleSignOnRoutes(app, services, cookie, clientAddress)
    ownSessionRoutes(app, services, cookie)
    twoFactorRoutes(app, services, clientAddress)
  })
  await add((app) => backChannelRoutes(app, services, clientAddress))
  await add((app) => {
    acceptJson(app, MAX_DOCUMENT)
    acceptYaml(app)
    flowDocumentRoutes(app, services, flowSchema)
  })
  await add((app) => {
    acceptJson(app, MAX_DOCUMENT)
    flowRoutes(app, services, streams)
    startRunRoutes(app, services)
    replayRoutes(app, services, streams)
    mcpRoutes(app, options.settings.version)
  })
  await add((app) => {
    acceptJson(app, MAX_BODY)
    flowSourceRoutes(app, services, editorSchema(flowSchema))
    runRoutes(app, services, streams, options.settings.version)
    fileRoutes(app, services)
    failureRoutes(app, services)
    deliveryRoutes(app, services, streams)
    searchRoutes(app, services)
    senderRoutes(app, services)
  })
  await add((app) => {
    acceptJson(app, MAX_BODY)
    auditRoutes(app, services)
    backupRoutes(app, services)
    connectionRoutes(app, services)
    userRoutes(app, services)
    accessRuleRoutes(app, services)
    roleRoutes(app, services)
    tokenRoutes(app, services)
    keyRoutes(app, services)
    systemRoutes(app, options)
    alertRoutes(app, services)
    callbackRoutes(app, services)
    statsRoutes(app, services)
    app.get('/api/v1/openapi.json', { schema: DESCRIPTION }, () => Promise.resolve(fastify.swagger()))
    app.get('/api/docs', { schema: REFERENCE }, (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
        .send(apiDocsPage(fastify.swagger() as unknown as Description)),
    )
  })
  await staticUi(fastify, options.uiFolder, notFound)
  await fastify.ready()
  return { handle, close: () => fastify.close() }
}

function notFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = request.raw.url!.split('?', 1)[0]!.slice(0, 200)
  return refuse(reply, CODE.not_found, `There is nothing at ${request.method} ${path}.`)
}

/** Room for a sample of the deepest webhook body inside a test request. */
const LIMITS: JsonLimits = { ...SENDER_LIMITS, depth: 250 }

const refused = (message: string) => new OperationError(CODE.invalid_request, message)

/** Nothing that a form on another site could send. */
function acceptJson(app: FastifyInstance, bodyLimit: number): void {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit }, ({ routeOptions }, given, done) => {
    const body = given as string
    // Many clients name the type with every request.
    if (body === '' && mayBeLeftOut(routeOptions.schema?.body)) return done(null, undefined)
    if (body === '') return done(refused('The body is empty; send a JSON document.'))
    if (body.length > LARGE_JSON) return void readLarge(body).then((value) => done(null, value), done)
    const problem = jsonProblem(measureJson(body, LIMITS), LIMITS)
    if (problem) return done(refused(`The JSON is ${problem}.`))
    try {
      done(null, parseJson(body))
    } catch {
      done(refused(INVALID))
    }
  })
}

const INVALID = 'The body is not valid JSON.'

async function readLarge(body: string): Promise<unknown> {
  const read = await readWithin(body, LIMITS).catch(() => {
    throw refused(INVALID)
  })
  if ('problem' in read) throw refused(`The JSON is ${read.problem}.`)
  return read.value
}

function acceptYaml(app: FastifyInstance): void {
  app.addContentTypeParser(
    ['application/yaml', 'application/x-yaml', 'text/yaml'],
    { parseAs: 'string', bodyLimit: MAX_YAML },
    (_request, body, done) => {
      try {
        done(null, parseFlowText(body as string))
      } catch (error) {
        if (!(error instanceof FlowTextError)) throw error
        done(refused(`The YAML has a fault in line ${error.line}: ${error.message}`))
      }
    },
  )
}
