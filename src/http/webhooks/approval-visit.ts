// Shows the page of an approval to whoever has its link, and takes the answer of its form.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CODE } from '../../base/error-catalogue.ts'
import { FORM_TYPE, mediaType, type WebhookData } from '../../engine/webhook-data.ts'
import { type AdmittedCallback, compiledCallback, keptDataOf } from '../../operations/callbacks/admit-callback.ts'
import { giveRecorded, readAnswer } from '../../operations/callbacks/approvals.ts'
import { isClosed, resumeAnswered } from '../../operations/callbacks/settle-answer.ts'
import { inTurn, settledReply } from '../../operations/callbacks/take-callback.ts'
import { keepDelivery } from '../../operations/deliveries/keep-delivery.ts'
import { Rejection } from '../../operations/deliveries/rejection.ts'
import type { CallbackRecord } from '../../operations/ports/callbacks/callbacks.ts'
import type { Services } from '../../operations/services.ts'
import type { Caller } from '../access/authenticate.ts'
import { crossSiteFault } from '../access/cross-site.ts'
import { type ApprovalPage, renderApproval } from '../pages/approval-page.ts'
import { answerCaller } from './caller-answer.ts'

export interface ApprovalVisit {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  record: CallbackRecord
  caller: Caller | null
}

const LINK = 'link'
const mayAnswer = (caller: Caller | null): boolean =>
  caller !== null && caller.actor.limit === null && caller.actor.scopes.includes('approvals')

export async function showApproval(services: Services, visit: ApprovalVisit): Promise<void> {
  sendPage(visit, 200, await pageOf(services, visit))
}

async function pageOf(
  services: Services,
  { record, caller, request }: ApprovalVisit,
  problem?: string,
): Promise<ApprovalPage> {
  const { asks, state } = record
  const approval = (await compiledCallback(services, record))?.approval
  if (!approval) return { state: 'closed' }
  if (approval.who === 'users' && caller === null)
    return { state: 'signIn', url: `${services.baseUrl}/sign-in?to=${encodeURIComponent(request.url!)}` }
  if (approval.who === 'users' && !mayAnswer(caller)) return { state: 'forbidden' }
  const flow = (await services.flows.names([record.flowId])).get(record.flowId) ?? ''
  if (state === 'answered') {
    const { answer, by } = (await services.callbacks.answerOf(record.id))?.data ?? {}
    const shownBy = caller === null ? null : String(by)
    return { state, flow, title: asks?.title ?? flow, answer: String(answer), at: record.endedAt!, by: shownBy }
  }
  if (isClosed(record)) return { state: 'closed' }
  if (state === 'early' || !asks) return { state: 'early' }
  return { state: 'open', flow, ...asks, expiresAt: record.expiresAt!, approval, ...(problem && { problem }) }
}

/** Takes the answer of a form or of JSON, and replies in the same way. Throws Rejection to senders of JSON. */
export async function answerForm(
  services: Services,
  visit: ApprovalVisit,
  admitted: AdmittedCallback,
  sent: WebhookData,
): Promise<void> {
  const { record, caller, request, response, requestId } = visit
  const { compiled } = admitted
  const approval = compiled.approval!
  const isForm = mediaType(sent.metadata.contentType) === FORM_TYPE
  const isSession = caller?.session !== undefined && caller.session !== null
  const foreign = crossSiteFault({ method: 'POST', headers: request.headers }, services.baseUrl, isSession)
  try {
    if (approval.who === 'users' && foreign !== null) throw new Rejection(CODE.bad_request, foreign)
    if (approval.who === 'users' && !mayAnswer(caller))
      throw new Rejection(CODE.unauthorized, 'Sign in as a user who may answer approvals.')
    const given = readAnswer(approval, sent.body, isForm)
    // Whoever has the link answers; a page of strangers cannot make it look as if a user did.
    const by = foreign === null && caller && mayAnswer(caller) ? caller.actor : { id: null, name: LINK }
    const settled = await inTurn(services, record, (now) => giveRecorded(services, now, compiled, given, by))
    resumeAnswered(services, settled, record)
    const keptData = await keptDataOf(services, record)
    await keepDelivery(services, record, sent, { outcome: settled, status: 200, runId: record.runId, keptData })
    if (!isForm) return answerCaller(response, requestId, settledReply(settled, record.runId))
    const now = (await services.callbacks.get(record.id)) ?? record
    sendPage(visit, 200, await pageOf(services, { ...visit, record: now }))
  } catch (problem) {
    if (!isForm || !(problem instanceof Rejection)) throw problem
    const now = (await services.callbacks.get(record.id)) ?? record
    const status = problem.code === CODE.callback_closed ? 410 : problem.code === CODE.unauthorized ? 401 : 400
    sendPage(visit, status, await pageOf(services, { ...visit, record: now }, problem.message))
  }
}

function sendPage({ request, response, requestId }: ApprovalVisit, status: number, page: ApprovalPage): void {
  const { html, headers } = renderApproval(page)
  response.writeHead(status, [...headers, 'x-request-id', requestId, 'content-length', String(Buffer.byteLength(html))])
  response.end(request.method === 'HEAD' ? undefined : html)
}
