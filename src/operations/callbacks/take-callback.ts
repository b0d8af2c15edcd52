// Takes what an outside system sends to a callback, and keeps it in the inbox of the flow.
import type { CallbackData } from '../../engine/ports/callbacks.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import { maskAuth } from '../deliveries/credentials.ts'
import { type DeliveryHead, queryOf } from '../deliveries/delivery-head.ts'
import { keepDelivery } from '../deliveries/keep-delivery.ts'
import type { Rejection } from '../deliveries/rejection.ts'
import type { CallbackRecord } from '../ports/callbacks/callbacks.ts'
import { type AdmittedCallback, callbackNotFound, compiledCallback, keptDataOf } from './admit-callback.ts'
import type { CallbackServices } from './services.ts'
import { resumeAnswered, type Settled, settleAnswer } from './settle-answer.ts'

const MESSAGES: Record<Settled, string> = {
  callback: 'Callback received',
  early: 'Callback received',
  filtered: 'Callback noted',
  repeated: 'Already answered',
}

/** Returns the reply to who answered: what became of the answer, and which run it was for. */
export const settledReply = (settled: Settled, runId: string): CallerReply => ({
  status: 200,
  headers: [],
  body: { status: 'success', message: MESSAGES[settled], id: runId },
})

/** Throws Rejection if it is too late. */
export async function takeCallback(
  services: CallbackServices,
  { record, compiled }: AdmittedCallback,
  webhook: WebhookData,
): Promise<CallerReply> {
  const digest = services.hashing.sha256(webhook.rawBody)
  const given = { data: dataOf(webhook), digest, by: null }
  const settled = await inTurn(services, record, (now) => settleAnswer(services, now, compiled, given))
  resumeAnswered(services, settled, record)
  const keptData = await keptDataOf(services, record)
  await keepDelivery(services, record, webhook, { outcome: settled, status: 200, runId: record.runId, keptData })
  return settledReply(settled, record.runId)
}

/** Answers in turn with others, from the state of the callback as it is then. */
export const inTurn = <T>(
  { turns, callbacks }: CallbackServices,
  { id }: CallbackRecord,
  settle: (now: CallbackRecord) => Promise<T>,
): Promise<T> =>
  turns.run(id, async () => {
    const now = await callbacks.get(id)
    if (!now) throw callbackNotFound()
    return settle(now)
  })

const dataOf = ({ body, headers, query, rawBody, metadata }: WebhookData): CallbackData => ({
  body,
  headers,
  query,
  rawBody,
  receivedAt: metadata.receivedAt,
})

/** Stores a refused callback in the inbox of its flow, without its body. */
export async function keepRefused(
  services: CallbackServices,
  record: CallbackRecord,
  head: DeliveryHead,
  rejection: Rejection,
  status: number,
): Promise<void> {
  const compiled = await compiledCallback(services, record)
  if (compiled) maskAuth(services, compiled.auth, head)
  const { headers, queryAll, metadata } = head
  const webhook = { body: null, headers, query: queryOf(head), queryAll, rawBody: '', metadata }
  await keepDelivery(services, record, webhook, { outcome: 'rejected', status, runId: record.runId, rejection })
  await services.rejections.added(record.flowId)
}
