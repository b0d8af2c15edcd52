// Receives webhook requests, beside the API's router: it needs the head of a request, in order, before any byte of the body.
import type { ServerResponse } from 'node:http'
import { API_ERRORS, type ApiErrorCode, CODE } from '../../base/error-catalogue.ts'
import { growHeapFor } from '../../base/v8/tune-v8.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import { mediaType } from '../../engine/webhook-data.ts'
import { checkSender, findRoute, overloadOf } from '../../operations/deliveries/check-sender.ts'
import type { Admission, DeliveryHead } from '../../operations/deliveries/delivery-head.ts'
import { isUpload, Upload } from '../../operations/deliveries/files/upload.ts'
import { takeIn } from '../../operations/deliveries/handshake/take-in.ts'
import { keepRejection } from '../../operations/deliveries/keep-delivery.ts'
import { Rejection, tooLarge } from '../../operations/deliveries/rejection.ts'
import { ChangedMeanwhile, Later } from '../../operations/deliveries/take-on.ts'
import type { RouteRecord } from '../../operations/ports/flows.ts'
import type { Services } from '../../operations/services.ts'
import type { ClientAddress } from '../client-address.ts'
import { leaveBody } from '../early-end.ts'
import { failureBody, failureOf } from '../failure.ts'
import { faultOfHead } from '../malformed-request.ts'
import { answerCaller, writeReply } from './caller-answer.ts'
import { type Exchange, PlainExchange, type Streamed, type Visit } from './exchange.ts'
import { answerWithFile } from './files/answer-file.ts'
import { receiveFiles } from './files/receive-files.ts'
import { keptBody } from './kept-body.ts'
import type { PlainReply } from './plain/plain-reply.ts'
import { type Refusal, Refusals } from './refusals.ts'
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

export type WebhookListener = (exchange: Exchange) => void

export const createRefusals = (): Refusals =>
  new Refusals(
    ({ response, requestId, code, message, retryAfterSeconds }) =>
      sendFailure(response, requestId, code, message, ['retry-after', String(retryAfterSeconds)]),
    growHeapFor,
  )

export function createWebhookListener(
  services: Services,
  clientAddress: ClientAddress,
  onBug: (error: unknown, route: string) => void,
  refusals = createRefusals(),
): WebhookListener {
  const { intake, queue, bodies, ids } = services
  return (exchange) => {
    const { request, response } = exchange
    const isLarge = !(exchange instanceof PlainExchange) && mayBeLarge(exchange.request)
    const requestId = ids.next('req')
    const crowdedOut = intake.next() === 'refuse'
    const isOverloaded = crowdedOut || queue.isSlow(intake.joining)
    const refusal = isOverloaded && !isLarge ? refusalOf(services, { exchange, requestId, crowdedOut }) : null
    if (refusal) return refusals.refuse(refusal)
    const visit: Visit = {
      exchange,
      requestId,
      ip: clientAddress(request),
      crowdedOut,
      hold: isLarge ? bodies.open() : null,
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

/** Returns how a delivery is refused by its head alone; null if all checks have to be made. */
function refusalOf(
  services: Services,
  { exchange: { request, response }, requestId, crowdedOut }: Pick<Visit, 'exchange' | 'requestId' | 'crowdedOut'>,
): Refusal | null {
  if (request.method !== 'POST' || faultOfHead(request)) return null
  const target = targetOf(request.url!)
  const rejection = target && target[2] === undefined ? overloadOf(services, target[1]!, crowdedOut) : null
  if (!rejection) return null
  const { code, message, retryAfterSeconds } = rejection
  services.meters.delivery('rejected', code)
  return { response, requestId, code, message, retryAfterSeconds }
}

async function handle(services: Services, visit: Visit): Promise<void> {
  const { exchange, requestId, hold } = visit
  const { request, response } = exchange
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
    if (exchange instanceof PlainExchange) exchange.letBodyGo()
  }
  // From here on nobody holds the body: the sender may wait for the run's reply for minutes.
  if (!reply) return
  const answer = reply instanceof Later ? await reply.reply : reply
  if (answer.file) await answerWithFile(services, response, requestId, { ...answer, file: answer.file })
  else await answerCaller(response, requestId, answer)
}

/** Until the delivery is stored; null: it was refused, and the sender knows. */
async function receive(services: Services, visit: Visit): Promise<CallerReply | Later | null> {
  const { exchange, crowdedOut } = visit
  let body: Buffer | Upload | null = null
  try {
    for (let attempt = 1; ; attempt++) {
      // Read anew each time: the checks mask what they find in it.
      const head = headOf(services, visit)
      const found = findRoute(services, head)
      const route = found instanceof Promise ? await found : found
      try {
        const admission = await checkSender(services, head, route, crowdedOut)
        body ??=
          exchange instanceof PlainExchange
            ? plainBody(services, exchange)
            : await bodyOf(services, exchange, visit, admission)
        return await (visit.hold ? storeInTurn : store)(services, admission, body)
      } catch (problem) {
        if (attempt < MOST_ATTEMPTS && (await isOutdated(services, problem, route))) continue
        if (!(problem instanceof Rejection)) throw problem
        await refuse(services, visit, head, route, problem, body)
        return null
      }
    }
  } finally {
    if (body instanceof Upload && !body.used) await services.files.discard(body.ids)
  }
}

function plainBody({ maxBodyBytes }: Services, { request: { body } }: PlainExchange): Buffer {
  if (body.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
  return body
}

const bodyOf = (
  services: Services,
  { request, response }: Streamed,
  { hold }: Visit,
  admission: Admission,
): Promise<Buffer | Upload> =>
  isUpload(admission.trigger, mediaType(admission.head.metadata.contentType))
    ? receiveFiles(services, { request, response, hold }, admission)
    : readBody(request, response, admission.head, services.maxBodyBytes, hold)

function headOf(services: Services, { exchange: { request }, requestId, ip }: Visit): DeliveryHead {
  const target = targetOf(request.url!)
  const test = target?.[2] !== undefined
  return readHead(request, { webhookId: target?.[1] ?? '', test, ip, requestId, now: services.now() })
}

function store(
  services: Services,
  admission: Admission,
  body: Buffer | Upload,
  read?: (values: number) => void,
): Promise<CallerReply | Later> {
  services.watch.begin(RECEIVING)
  return takeIn(services, admission, body, read)
}

/** Large bodies a few at a time. */
const storeInTurn = (services: Services, admission: Admission, body: Buffer | Upload) =>
  services.bodies.inTurn(body instanceof Upload ? body.textBytes : body.length, (read) =>
    store(services, admission, body, read),
  )

/** Who may send, and by which method, is up to the version. */
const MAY_DIFFER = new Set<ApiErrorCode>([CODE.unauthorized, CODE.method_not_allowed])

/** Another process has changed the webhook meanwhile: a new version may let in what the one known here refuses. */
async function isOutdated({ published }: Services, problem: unknown, route: RouteRecord | null): Promise<boolean> {
  if (problem instanceof ChangedMeanwhile) return true
  const mayDiffer = problem instanceof Rejection && MAY_DIFFER.has(problem.code)
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
  body: Buffer | Upload | null,
): Promise<void> {
  const { requestId } = visit
  const { request, response } = visit.exchange
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
  if (code === CODE.method_not_allowed) headers.push('allow', rejection.allow)
  if (retryAfterSeconds !== null) headers.push('retry-after', String(retryAfterSeconds))
  sendFailure(response, requestId, code, message, headers)
}

export function sendFailure(
  response: ServerResponse | PlainReply,
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
