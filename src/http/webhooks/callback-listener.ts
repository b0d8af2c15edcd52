// Receives requests to callbacks, beside the API's router as webhooks are, with the same checks in the same order; and serves the
// pages of approvals at the same path.
import type { IncomingMessage, RequestListener } from 'node:http'
import { API_ERRORS, type ApiErrorCode, CODE } from '../../base/error-catalogue.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import { admitCallback } from '../../operations/callbacks/admit-callback.ts'
import type { CallbackServices } from '../../operations/callbacks/services.ts'
import { keepRefused, takeCallback } from '../../operations/callbacks/take-callback.ts'
import { checkBody } from '../../operations/deliveries/check-body.ts'
import type { DeliveryHead } from '../../operations/deliveries/delivery-head.ts'
import { Rejection } from '../../operations/deliveries/rejection.ts'
import type { CallbackRecord } from '../../operations/ports/callbacks/callbacks.ts'
import type { Services } from '../../operations/services.ts'
import { type Authenticate, countRefused } from '../access/authenticate.ts'
import type { ClientAddress } from '../client-address.ts'
import { leaveBody } from '../early-end.ts'
import { failureOf } from '../failure.ts'
import { faultOfHead } from '../malformed-request.ts'
import { type ApprovalVisit, answerForm, showApproval } from './approval-visit.ts'
import { answerCaller } from './caller-answer.ts'
import type { Streamed, Visit } from './exchange.ts'
import { sendFailure } from './listener.ts'
import { mayBeLarge, readBody, readHead } from './request.ts'

const PREFIX = '/api/v1/callbacks/'
const RECEIVING = 'POST /api/v1/callbacks/:token'

export const isCallback = (url: string): boolean => url.startsWith(PREFIX)

export function createCallbackListener(
  services: Services,
  authenticate: Authenticate,
  clientAddress: ClientAddress,
  onBug: (error: unknown, route: string) => void,
): RequestListener {
  return (request, response) => {
    const visit: Visit<Streamed> = {
      exchange: { request, response },
      requestId: services.ids.next('req'),
      ip: clientAddress(request),
      // A callback is not begun anew by a sender that is refused as a delivery is: many at once only take longer.
      crowdedOut: services.intake.isFull,
      hold: mayBeLarge(request) ? services.bodies.open() : null,
    }
    handle(services, authenticate, visit).catch((error) => {
      const failure = failureOf(error)
      if (!failure) onBug(error, PREFIX)
      const { code, message, retryAfter } = failure ?? {
        code: CODE.internal_error,
        message: API_ERRORS.internal_error.message,
        retryAfter: null,
      }
      sendFailure(response, visit.requestId, code, message, retryAfter ? ['retry-after', retryAfter] : [])
    })
  }
}

async function handle(services: Services, authenticate: Authenticate, visit: Visit<Streamed>): Promise<void> {
  const { requestId } = visit
  const { request, response } = visit.exchange
  const fault = faultOfHead(request)
  if (fault) {
    await leaveBody(request)
    return sendFailure(response, requestId, CODE.bad_request, fault, ['connection', 'close'])
  }
  const head = readHead(request, {
    webhookId: '',
    test: false,
    ip: visit.ip,
    requestId,
    now: services.now(),
  })
  // A token that cannot be one is looked for all the same: whoever guesses learns nothing from the time that it takes.
  const record = await services.callbacks.find(tokenOf(request))
  try {
    if (record?.isApproval) return await approval(services, authenticate, visit, record, head)
    const reply = await receive(services, visit, record, head)
    await answerCaller(response, requestId, reply)
  } catch (problem) {
    if (!(problem instanceof Rejection)) throw problem
    await refuse(services, visit, head, record, problem)
  } finally {
    visit.hold?.release()
  }
}

const tokenOf = ({ url }: IncomingMessage): string => {
  const question = url!.indexOf('?')
  return question === -1 ? url!.slice(PREFIX.length) : url!.slice(PREFIX.length, question)
}

async function receive(
  services: Services,
  { exchange: { request, response }, crowdedOut, hold }: Visit<Streamed>,
  record: CallbackRecord | null,
  head: DeliveryHead,
): Promise<CallerReply> {
  const admitted = await admitCallback(services, head, record, crowdedOut)
  const body = await readBody(request, response, head, services.maxBodyBytes, hold)
  services.watch.begin(RECEIVING)
  const take = async () => takeCallback(services, admitted, await checkBody(services, admitted, body))
  return hold ? services.bodies.inTurn(body.length, take) : take()
}

async function approval(
  services: Services,
  authenticate: Authenticate,
  visit: Visit<Streamed>,
  record: CallbackRecord,
  head: DeliveryHead,
): Promise<void> {
  const { requestId, hold } = visit
  const { request, response } = visit.exchange
  const caller = await authenticate(request)
  if (!caller) countRefused(services, request.headers, visit.ip)
  const asked: ApprovalVisit = { request, response, requestId, record, caller }
  if (head.method === 'GET' || head.method === 'HEAD') return showApproval(services, asked)
  const admitted = await admitCallback(services, head, record, visit.crowdedOut)
  const body = await readBody(request, response, head, services.maxBodyBytes, hold)
  await answerForm(services, asked, admitted, await checkBody(services, admitted, body))
}

/** Counted only: keeping them would make an overload worse. */
const NOT_KEPT = new Set<ApiErrorCode>([CODE.rate_limited, CODE.overloaded, CODE.callback_not_found])

async function refuse(
  services: CallbackServices,
  { exchange: { request, response }, requestId }: Visit<Streamed>,
  head: DeliveryHead,
  record: CallbackRecord | null,
  rejection: Rejection,
): Promise<void> {
  const { code, message, retryAfterSeconds } = rejection
  if (record && !NOT_KEPT.has(code) && services.rejections.admits(record.flowId, services.now()))
    await keepRefused(services, record, head, rejection, API_ERRORS[code].status).catch((error) =>
      services.warn('a refused callback could not be kept', { reason: String(error) }),
    )
  else services.meters.delivery('rejected', code)
  const headers: string[] = []
  if (await leaveBody(request)) headers.push('connection', 'close')
  if (code === CODE.method_not_allowed) headers.push('allow', record?.isApproval ? 'GET, POST' : 'POST')
  if (retryAfterSeconds !== null) headers.push('retry-after', String(retryAfterSeconds))
  sendFailure(response, requestId, code, message, headers)
}
