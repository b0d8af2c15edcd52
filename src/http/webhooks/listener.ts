// Receives webhook requests, beside the API's router: it needs the head of a request, in order, before any byte of the body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { API_ERRORS, type ApiErrorCode, CODE } from '../../base/error-catalogue.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import type { BodyHold } from '../../operations/deliveries/body-budget.ts'
import { checkBody } from '../../operations/deliveries/check-body.ts'
import { checkSender, findRoute } from '../../operations/deliveries/check-sender.ts'
import type { Admission, DeliveryHead } from '../../operations/deliveries/delivery-head.ts'
import { keepRejection } from '../../operations/deliveries/keep-delivery.ts'
import { Rejection } from '../../operations/deliveries/rejection.ts'
import { ChangedMeanwhile, Later, takeOn } from '../../operations/deliveries/take-on.ts'
import type { RouteRecord } from '../../operations/ports/flows.ts'
import type { Services } from '../../operations/services.ts'
import type { ClientAddress } from '../client-address.ts'
import { leaveBody } from '../early-end.ts'
import { failureBody, failureOf } from '../failure.ts'
import { faultOfHead } from '../malformed-request.ts'
import { answerCaller, writeReply } from './caller-answer.ts'
import { keptBody } from './kept-body.ts'
import { mayBeLarge, readBody, readHead } from './request.ts'

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

/** A request on its way through the phases. */
export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** Of the sender, behind proxies too. */
  ip: string
  /** More come in than can be stored. */
  crowdedOut: boolean
  /** Counts the bytes of a body that may be large. */
  hold: BodyHold | null
}

export function createWebhookListener(
  services: Services,
  clientAddress: ClientAddress,
  onBug: (error: unknown, route: string) => void,
): WebhookListener {
  const { intake, bodies, ids } = services
  return (request, response) => {
    const visit: Visit = {
      request,
      response,
      requestId: ids.next('req'),
      ip: clientAddress(request),
      crowdedOut: intake.next() === 'refuse',
      hold: mayBeLarge(request) ? bodies.open() : null,
    }
    handle(services, visit).catch((error) => {
      const failure = failureOf(error)
      if (!failure) onBug(error, PREFIX)
      const { code, message, retryAfter } = failure ?? {
        code: CODE.internal_error,
        message: API_ERRORS.internal_error.message,
        retryAfter: null,
      }
      services.meters.delivery('failed', code)
      sendFailure(response, visit.requestId, code, message, retryAfter ? ['retry-after', retryAfter] : [])
    })
  }
}

async function handle(services: Services, visit: Visit): Promise<void> {
  const { request, response, requestId, hold } = visit
  const fault = faultOfHead(request)
  if (fault) {
    await leaveBody(request)
    return sendFailure(response, requestId, CODE.bad_request, fault, ['connection', 'close'])
  }
  let reply: CallerReply | Later | null
  try {
    reply = await receive(services, visit)
  } finally {
    hold?.release()
  }
  // From here on nobody holds the body: the sender may wait for the run's reply for minutes.
  if (reply) answerCaller(response, requestId, reply instanceof Later ? await reply.reply : reply)
}

/** Until the delivery is stored; null: it was refused, and the sender knows. */
async function receive(services: Services, visit: Visit): Promise<CallerReply | Later | null> {
  const { request, response, crowdedOut, hold } = visit
  let body: Buffer | null = null
  for (let attempt = 1; ; attempt++) {
    // Read anew each time: the checks mask what they find in it.
    const head = headOf(services, visit)
    const route = await findRoute(services, head)
    try {
      const admission = await checkSender(services, head, route, crowdedOut)
      body ??= await readBody(request, response, head, services.maxBodyBytes, hold)
      return await (hold ? storeInTurn : store)(services, admission, body)
    } catch (problem) {
      if (attempt < MOST_ATTEMPTS && (await isOutdated(services, problem, route))) continue
      if (!(problem instanceof Rejection)) throw problem
      await refuse(services, visit, head, route, problem, body)
      return null
    }
  }
}

function headOf(services: Services, { request, requestId, ip }: Visit): DeliveryHead {
  const target = targetOf(request.url!)
  const test = target?.[2] !== undefined
  return readHead(request, { webhookId: target?.[1] ?? '', test, ip, requestId, now: services.now() })
}

function store(services: Services, admission: Admission, body: Buffer): Promise<CallerReply | Later> {
  services.watch.begin(RECEIVING)
  return takeOn(services, admission, checkBody(services, admission, body))
}

/** Large bodies one after the other. */
const storeInTurn = (services: Services, admission: Admission, body: Buffer) =>
  services.bodies.inTurn(body.length, async () => store(services, admission, body))

/** Another process has changed the webhook meanwhile: a new version may let in what the one known here refuses. */
async function isOutdated({ published }: Services, problem: unknown, route: RouteRecord | null): Promise<boolean> {
  if (problem instanceof ChangedMeanwhile) return true
  const mayDiffer = problem instanceof Rejection && problem.code === CODE.unauthorized
  return mayDiffer && route !== null && !(await published.isCurrent(route))
}

/** Counted only: keeping them would make an overload worse. */
const NOT_KEPT = new Set<ApiErrorCode>([CODE.rate_limited, CODE.overloaded])

/** The one place that refuses. */
async function refuse(
  services: Services,
  visit: Visit,
  head: DeliveryHead,
  route: RouteRecord | null,
  rejection: Rejection,
  body: Buffer | null,
): Promise<void> {
  const { request, response, requestId } = visit
  const { code, message, retryAfterSeconds } = rejection
  // What is not found may have been deleted meanwhile, or have another URL: then it has no inbox.
  const inbox = code === CODE.webhook_not_found ? services.published.route(head.webhookId) : route
  if (inbox && !NOT_KEPT.has(code) && services.rejections.admits(inbox.flowId, services.now())) {
    const kept = await keptBody(services, visit, head, inbox, body)
    // Before the reply, so that whoever got it finds it in the inbox.
    await keepRejection(services, inbox, head, rejection, API_ERRORS[code].status, kept).catch((error) =>
      services.warn('a rejected delivery could not be kept', { reason: String(error) }),
    )
  } else services.meters.delivery('rejected', code)
  const headers: string[] = []
  if (await leaveBody(request)) headers.push('connection', 'close')
  if (code === CODE.method_not_allowed) headers.push('allow', 'POST')
  if (retryAfterSeconds !== null) headers.push('retry-after', String(retryAfterSeconds))
  sendFailure(response, requestId, code, message, headers)
}

export function sendFailure(
  response: ServerResponse,
  requestId: string,
  code: ApiErrorCode,
  message: string,
  headers: string[],
): void {
  headers.push('content-type', 'application/json; charset=utf-8')
  writeReply(
    response,
    requestId,
    API_ERRORS[code].status,
    headers,
    JSON.stringify(failureBody(code, message, requestId)),
  )
}
