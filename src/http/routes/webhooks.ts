// Where a webhook enters.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { WebhookReplyBody } from '../../contract/bodies.ts'
import { ERROR_STATUS, ErrorBody } from '../../contract/errors.ts'
import { admitDelivery, type DeliveryHead, Rejection, tooLarge } from '../../operations/admit-delivery.ts'
import type { RouteRecord } from '../../operations/ports.ts'
import { keepRejection, receiveDelivery } from '../../operations/receive-delivery.ts'
import type { Services } from '../../operations/services.ts'
import { answerCaller } from '../caller-answer.ts'
import { failureBody } from '../failure.ts'
import { decodeBody, leaveBody, readBody, readHead } from '../webhook-request.ts'

type WebhookRequest = FastifyRequest<{ Params: { webhookId: string } }>

export function webhookRoutes(app: FastifyInstance, services: Services): void {
  app.removeAllContentTypeParsers()
  // The body is read by the handler itself, after the checks that need none.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Fastify refuses a malformed type before any check of ours; the checks read the headers as they stand on the wire.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    raw.headers['content-type'] = undefined
    done()
  })

  const handle = (test: boolean) => async (request: WebhookRequest, reply: FastifyReply) => {
    const head = readHead(
      request.raw,
      { webhookId: request.params.webhookId, test },
      { ip: request.ip, requestId: request.id, now: services.now() },
    )
    const admitted = await admitDelivery(services, head)
    if ('rejection' in admitted) return reject(services, request, reply, head, admitted.rejection, admitted.route)
    if (/\b100-continue\b/i.test(request.headers.expect ?? '')) reply.raw.writeContinue()
    const result = await bodyOf(request, services, head)
    const outcome = result instanceof Rejection ? result : await receiveDelivery(services, admitted, result)
    if (outcome instanceof Rejection) return reject(services, request, reply, head, outcome, admitted.route)
    return answerCaller(reply, outcome)
  }

  const docs = (summary: string) => ({
    tags: ['webhooks'],
    summary,
    params: { type: 'object', properties: { webhookId: { type: 'string' } }, 'x-checked-by-operation': true },
    response: { 200: WebhookReplyBody, '4xx': ErrorBody, '5xx': ErrorBody },
  })
  app.post(
    '/api/v1/webhooks/:webhookId',
    { schema: docs('Deliver an event: starts the flow that owns this webhook') },
    handle(false),
  )
  app.post(
    '/api/v1/webhooks/:webhookId/test',
    { schema: docs('Send a test request: kept as a sample, starts nothing') },
    handle(true),
  )
}

/** Any other method, known to the router or not, comes here: the method is checked before the id. */
export function webhookMethodNotAllowed(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  webhookId: string,
  test: boolean,
) {
  const head = readHead(
    request.raw,
    { webhookId, test },
    { ip: request.ip, requestId: request.id, now: services.now() },
  )
  const rejection = new Rejection('method_not_allowed', `A webhook takes POST requests; this was ${head.method}.`)
  return reject(services, request, reply, head, rejection, services.published.route(webhookId) ?? null)
}

async function bodyOf(request: FastifyRequest, services: Services, head: DeliveryHead): Promise<Buffer | Rejection> {
  const read = await readBody(request.raw, services.maxBodyBytes)
  if (read === 'cut_off') return new Rejection('bad_request', 'The body ended before its declared end.')
  if (read === 'too_large') return tooLarge(services)
  const encoding = head.headers['content-encoding']
  if (encoding === undefined) return read
  const decoded = await decodeBody(read, encoding, services.maxBodyBytes)
  if (decoded === 'too_large') return tooLarge(services)
  if (decoded === 'undecodable')
    return new Rejection(
      'bad_request',
      `The body cannot be decoded as "${encoding}"; send it as gzip, deflate or br, or without a Content-Encoding.`,
    )
  return decoded
}

/** Counted only: keeping them would make an overload worse. */
const NOT_KEPT = new Set(['rate_limited', 'overloaded'])

async function reject(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  head: DeliveryHead,
  rejection: Rejection,
  route: RouteRecord | null,
): Promise<FastifyReply> {
  const status = ERROR_STATUS[rejection.code]
  const known = route && rejection.code !== 'webhook_not_found'
  if (known && !NOT_KEPT.has(rejection.code))
    keepRejection(services, route, head, rejection, status).catch((error) =>
      services.warn('a rejected delivery could not be kept', { reason: String(error) }),
    )
  else services.meters.delivery('rejected', rejection.code)
  await leaveBody(reply)
  if (rejection.code === 'method_not_allowed') void reply.header('allow', 'POST')
  if (rejection.retryAfterSeconds !== null) void reply.header('retry-after', String(rejection.retryAfterSeconds))
  return reply.code(status).send(failureBody(rejection.code, rejection.message, request.id))
}
