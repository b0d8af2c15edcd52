// Receives webhook requests, beside the API's router: it needs the head of a request, in order, before any byte of the body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import {
  type Admission,
  admitDelivery,
  briefly,
  type DeliveryHead,
  noRoom,
  Rejection,
  tooLarge,
} from '../../operations/deliveries/admit-delivery.ts'
import type { BodyHold } from '../../operations/deliveries/body-budget.ts'
import {
  CHANGED_MEANWHILE,
  keepRejection,
  Later,
  receiveDelivery,
} from '../../operations/deliveries/receive-delivery.ts'
import type { RouteRecord } from '../../operations/ports/flows.ts'
import type { Services } from '../../operations/services.ts'
import type { ClientAddress } from '../client-address.ts'
import { failureBody, failureOf } from '../failure.ts'
import { faultOfHead } from '../malformed-request.ts'
import { answerCaller, writeReply } from './caller-answer.ts'
import { decodeBody, leaveBody, mayBeLarge, readBody, readHead } from './request.ts'

const PREFIX = '/api/v1/webhooks/'
const RECEIVING = 'POST /api/v1/webhooks/:id'
const MOST_ATTEMPTS = 5
const TARGET = /^([^/]+)(\/test)?$/

export const isWebhook = (url: string): boolean => url.startsWith(PREFIX)

export const isTestUrl = (url: string): boolean => targetOf(url)?.[2] !== undefined

const targetOf = (url: string): RegExpExecArray | null => {
  const question = url.indexOf('?')
  return TARGET.exec(question === -1 ? url.slice(PREFIX.length) : url.slice(PREFIX.length, question))
}

export type WebhookListener = (request: IncomingMessage, response: ServerResponse) => void

export function createWebhookListener(
  services: Services,
  clientAddress: ClientAddress,
  onBug: (error: unknown, route: string) => void,
): WebhookListener {
  const begin = (request: IncomingMessage, response: ServerResponse, crowdedOut: boolean) => {
    const requestId = services.ids.next('req')
    handle(services, clientAddress, request, response, requestId, crowdedOut).catch((error) => {
      const failure = failureOf(error)
      if (!failure) onBug(error, PREFIX)
      const { code, message, retryAfter } = failure ?? {
        code: 'internal_error' as const,
        message: 'Millrace failed at this request; its log has the details.',
        retryAfter: null,
      }
      services.meters.delivery('failed', code)
      sendFailure(response, requestId, code, message, retryAfter ? ['retry-after', retryAfter] : [])
    })
  }
  const { intake } = services
  return (request, response) => begin(request, response, intake.next() === 'refuse')
}

async function handle(
  services: Services,
  clientAddress: ClientAddress,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  crowdedOut: boolean,
): Promise<void> {
  const fault = faultOfHead(request)
  if (fault) {
    await leaveBody(request)
    return sendFailure(response, requestId, 'bad_request', fault, ['connection', 'close'])
  }
  const hold = mayBeLarge(request) ? services.bodies.open() : null
  let outcome: Awaited<ReturnType<typeof takeOn>>
  try {
    outcome = await takeOn(services, clientAddress, request, response, requestId, crowdedOut, hold)
  } finally {
    hold?.release()
  }
  // From here on nobody holds the body: the sender may wait for the run's reply for minutes.
  if (outcome !== REFUSED) answerCaller(response, requestId, outcome instanceof Later ? await outcome.reply : outcome)
}

const REFUSED = 'refused'

/** Until the delivery is stored. */
async function takeOn(
  services: Services,
  clientAddress: ClientAddress,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  crowdedOut: boolean,
  hold: BodyHold | null,
): Promise<CallerReply | Later | typeof REFUSED> {
  const target = targetOf(request.url!)
  let body: Buffer | Rejection | null = null
  for (let attempt = 1; ; attempt++) {
    const head = readHead(request, {
      webhookId: target?.[1] ?? '',
      test: target?.[2] !== undefined,
      ip: clientAddress(request),
      requestId,
      now: services.now(),
    })
    const admitted = await admitDelivery(services, head, crowdedOut)
    if ('rejection' in admitted) {
      if (attempt < MOST_ATTEMPTS && (await isOutdated(services, admitted))) continue
      await reject(services, request, response, head, admitted.rejection, admitted.route)
      return REFUSED
    }
    body ??= await bodyOf(request, response, services, head, hold)
    const outcome = body instanceof Rejection ? body : await (hold ? receiveInTurn : receive)(services, admitted, body)
    if (outcome instanceof Rejection) {
      await reject(services, request, response, head, outcome, admitted.route)
      return REFUSED
    }
    if (outcome !== CHANGED_MEANWHILE) return outcome
    if (attempt === MOST_ATTEMPTS) throw new Error('the webhook was changed at every attempt to take a delivery on')
  }
}

/** A version that another process has just published may accept a request that this one refuses. */
async function isOutdated(
  { published }: Services,
  { rejection, route }: { rejection: Rejection; route: RouteRecord | null },
): Promise<boolean> {
  return route !== null && rejection.code === 'unauthorized' && !(await published.isCurrent(route))
}

function receive(services: Services, admitted: Admission, body: Buffer): ReturnType<typeof receiveDelivery> {
  services.watch.begin(RECEIVING)
  return receiveDelivery(services, admitted, body)
}

/** Large bodies one after the other. */
const receiveInTurn = (services: Services, admitted: Admission, body: Buffer) =>
  services.bodies.inTurn(body.length, () => receive(services, admitted, body))

async function bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
  services: Services,
  head: DeliveryHead,
  hold: BodyHold | null,
): Promise<Buffer | Rejection> {
  // Reserves the declared size first: otherwise many bodies would be read in part, and none to its end.
  if (hold && !hold.reach(head.metadata.contentLength)) return noRoom()
  if (request.headers.expect && /\b100-continue\b/i.test(request.headers.expect)) response.writeContinue()
  const read = await readBody(request, services.maxBodyBytes, hold)
  if (read === 'cut_off') return new Rejection('bad_request', 'The body ended before its declared end.')
  if (read === 'too_large') return tooLarge(services)
  if (read === 'no_room') return noRoom()
  const encoding = head.headers['content-encoding']
  if (encoding === undefined) return read
  const decoded = await decodeBody(read, encoding, services.maxBodyBytes, hold)
  if (decoded === 'too_large') return tooLarge(services)
  if (decoded === 'no_room') return noRoom()
  if (decoded === 'undecodable')
    return new Rejection(
      'bad_request',
      `The body cannot be decoded as "${briefly(encoding)}"; send it as gzip, deflate or br, or without a Content-Encoding.`,
    )
  return decoded
}

/** Counted only: keeping them would make an overload worse. */
const NOT_KEPT = new Set(['rate_limited', 'overloaded'])

const isKept = ({ rejections, now }: Services, { flowId }: RouteRecord, code: ErrorCode): boolean =>
  !NOT_KEPT.has(code) && rejections.admits(flowId, now())

async function reject(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
  head: DeliveryHead,
  rejection: Rejection,
  route: RouteRecord | null,
): Promise<void> {
  const { code, message, retryAfterSeconds } = rejection
  // The flow may have been deleted, or have another URL by now: then there is no inbox for the delivery.
  const inbox = code === 'webhook_not_found' ? services.published.route(head.webhookId) : route
  if (inbox && isKept(services, inbox, code))
    keepRejection(services, inbox, head, rejection, ERROR_STATUS[code]).catch((error) =>
      services.warn('a rejected delivery could not be kept', { reason: String(error) }),
    )
  else services.meters.delivery('rejected', code)
  const headers: string[] = []
  if (await leaveBody(request)) headers.push('connection', 'close')
  if (code === 'method_not_allowed') headers.push('allow', 'POST')
  if (retryAfterSeconds !== null) headers.push('retry-after', String(retryAfterSeconds))
  sendFailure(response, head.metadata.requestId, code, message, headers)
}

export function sendFailure(
  response: ServerResponse,
  requestId: string,
  code: ErrorCode,
  message: string,
  headers: string[],
): void {
  headers.push('content-type', 'application/json; charset=utf-8')
  writeReply(response, requestId, ERROR_STATUS[code], headers, JSON.stringify(failureBody(code, message, requestId)))
}
