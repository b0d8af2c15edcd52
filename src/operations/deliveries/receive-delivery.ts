// A webhook request whose head was admitted: its body is checked, it is stored durably, and the caller gets an answer.

import { isUtf8 } from 'node:buffer'
import { callerReply, DEFAULT_SENT, defaultReply, stillRunningReply } from '../../engine/caller-reply.ts'
import { deliveryIdOf } from '../../engine/ids.ts'
import { createRoots, type Roots, stepScope } from '../../engine/run-scope.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import { FORM_TYPE, isJsonType, mediaType, parseBody, type WebhookData } from '../../engine/webhook-data.ts'
import { ExpressionError, MISSING, type Scope } from '../../flow/expression/index.ts'
import { countFields, MOST_FIELDS } from '../../flow/form-pairs.ts'
import { jsonProblem, measureJson, SENDER_LIMITS, someInfinite } from '../../flow/json-limits.ts'
import { parseJson } from '../../flow/parse-json.ts'
import type { DeliveryOutcome } from '../ports/deliveries.ts'
import type { RouteRecord } from '../ports/flows.ts'
import { startRun } from '../runs/start-run.ts'
import {
  type Admission,
  checkSignature,
  type DeliveryHead,
  maskCredential,
  notFound,
  queryOf,
  Rejection,
} from './admit-delivery.ts'
import { keepSample, shownEntry } from './read-deliveries.ts'
import type { DeliveryServices } from './services.ts'

/** The webhook was changed by another process after the checks: they have to be made again. */
export const CHANGED_MEANWHILE = 'changed_meanwhile'

/** The delivery is stored; its run has the reply, or its sender has waited long enough. */
export class Later {
  readonly reply: Promise<CallerReply>
  constructor(reply: Promise<CallerReply>) {
    this.reply = reply
  }
}

export async function receiveDelivery(
  services: DeliveryServices,
  admission: Admission,
  body: Buffer,
): Promise<CallerReply | Rejection | Later | typeof CHANGED_MEANWHILE> {
  const unsigned = checkSignature(services, admission, body)
  if (unsigned) return unsigned
  const webhook = readBody(admission.head, body)
  if (webhook instanceof Rejection) return webhook
  if (admission.head.test) return captureSample(services, admission, webhook)
  const { flow, route, head } = admission
  // The body may have taken its time: the webhook must still be there.
  if (!services.published.route(head.webhookId)?.version) return notFound()
  const { trigger } = flow
  const createdAt = services.now()
  const runId = services.ids.next('run')
  const { status, headers, body: replyBody } = trigger.reply
  const usesTemplates = trigger.when || trigger.dedupe || status || headers || replyBody
  const roots = usesTemplates ? replyRoots(services, admission, webhook, runId, createdAt) : NO_ROOTS
  const scope = stepScope(roots, services.hashing, runId, 'trigger', createdAt)

  if (trigger.when && !passes(services, trigger.when, scope, route)) {
    if (!(await services.published.isCurrent(route))) return CHANGED_MEANWHILE
    const id = await keepDelivery(services, route, webhook, { outcome: 'filtered', status: 200, runId: null })
    return defaultReply(id)
  }
  const refused = (reason: string) => services.warn(DEFAULT_SENT, { flowId: route.flowId, reason })
  const immediate =
    trigger.mode === 'immediate' ? callerReply(trigger.reply, scope, defaultReply(runId), refused) : null
  const key = trigger.dedupe ? dedupeKey(services, trigger.dedupe.key, scope) : null
  const waiting = immediate ? null : services.replies.wait(runId, route.flowId, trigger.timeoutMs)
  const { duplicateOf, stale } = await startRun(
    services,
    {
      id: runId,
      flowId: route.flowId,
      version: route.version,
      document: null,
      test: false,
      webhook,
      hops: head.hops,
      replyStatus: immediate?.status ?? null,
      createdAt,
      replayOf: null,
    },
    trigger.concurrency,
    key === null ? null : { key, expiresAt: createdAt + trigger.dedupe!.windowMs },
    null,
    route,
  )
  if (stale) {
    services.replies.send(runId, stillRunningReply(runId))
    await services.published.lookUp(head.webhookId)
    return CHANGED_MEANWHILE
  }
  if (duplicateOf !== null) {
    services.replies.send(runId, stillRunningReply(runId))
    const reply = immediate
      ? callerReply(
          trigger.reply,
          duplicateScope(services, roots, duplicateOf, createdAt),
          defaultReply(duplicateOf),
          refused,
        )
      : defaultReply(duplicateOf)
    await keepDelivery(services, route, webhook, { outcome: 'duplicate', status: reply.status, runId: duplicateOf })
    return reply
  }
  services.meters.delivery('accepted', null)
  services.events.tell(route.flowId, 'delivery', runId, () => ({
    type: 'delivery',
    data: {
      id: deliveryIdOf(runId),
      flowId: route.flowId,
      receivedAt: new Date(createdAt).toISOString(),
      outcome: 'accepted',
      code: null,
      message: null,
      status: immediate?.status ?? null,
      runId,
    },
  }))
  return immediate ?? new Later(waiting!.then((reply) => reply ?? stillRunningReply(runId)))
}

/** Where no template of the trigger looks at them. */
const NO_ROOTS: Roots = Object.freeze(Object.create(null))

/** Keeps a rejected delivery in the inbox of its webhook. */
export async function keepRejection(
  services: DeliveryServices,
  route: RouteRecord,
  head: DeliveryHead,
  rejection: Rejection,
  status: number,
): Promise<void> {
  await maskCredential(services, route, head)
  const webhook: WebhookData = {
    body: null,
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody: '',
    metadata: head.metadata,
  }
  await keepDelivery(services, route, webhook, { outcome: 'rejected', status, runId: null, rejection })
  await services.rejections.added(route.flowId)
}

function readBody(head: DeliveryHead, bytes: Buffer): WebhookData | Rejection {
  const bad = (message: string) => new Rejection('bad_request', message)
  const { contentType } = head.metadata
  if (!isUtf8(bytes)) return bad('The body is not valid UTF-8.')
  const rawBody = bytes.toString('utf8')
  if (rawBody.includes('\0')) return bad('The body contains a NUL character.')
  let body: unknown
  const type = mediaType(contentType)
  if (isJsonType(type)) {
    const measured = measureJson(rawBody, SENDER_LIMITS)
    const problem = jsonProblem(measured, SENDER_LIMITS)
    if (problem) return bad(`The JSON is ${problem}.`)
    try {
      body = parseJson(rawBody)
    } catch (error) {
      return bad(
        rawBody === '' ? 'The body is empty; send a JSON document.' : `The body is not valid JSON: ${jsonFault(error)}`,
      )
    }
    if (measured.mayOverflow && someInfinite(body)) return bad('The JSON holds a number that is too large.')
  } else {
    if (type === FORM_TYPE && countFields(rawBody) > MOST_FIELDS)
      return bad(`The form has more than ${MOST_FIELDS.toLocaleString('en')} fields.`)
    body = parseBody(contentType, rawBody)
  }
  return {
    body,
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody,
    metadata: { ...head.metadata, contentLength: bytes.length },
  }
}

/** V8 quotes the text around the fault; the sender knows it, and logs must not. */
function jsonFault(error: unknown): string {
  const message = (error as Error).message
  const position = /at position (\d+)/.exec(message)
  return position ? `there is a fault at position ${position[1]}.` : 'it ends too early or is no JSON at all.'
}

function replyRoots(
  services: DeliveryServices,
  { flow, route }: Admission,
  webhook: WebhookData,
  runId: string,
  createdAt: number,
): Roots {
  return createRoots({
    webhook,
    run: { id: runId, startedAt: new Date(createdAt).toISOString(), attempt: 1, replayOf: null },
    flow: { id: route.flowId, name: flow.name, version: route.version },
    env: services.env,
    connections: Object.create(null),
  })
}

/** The reply to a duplicate speaks of the first run. */
function duplicateScope(services: DeliveryServices, roots: Roots, runId: string, createdAt: number): Scope {
  const run = { ...(roots['run'] as object), id: runId }
  return stepScope(Object.assign(Object.create(null), roots, { run }), services.hashing, runId, 'trigger', createdAt)
}

/** A filter that cannot be evaluated lets the delivery in: better a run too many than an event lost. */
function passes(
  services: DeliveryServices,
  when: (scope: Scope) => boolean,
  scope: Scope,
  route: RouteRecord,
): boolean {
  try {
    return when(scope)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    services.warn('the "when" of a trigger could not be evaluated', { flowId: route.flowId, reason: error.code })
    return true
  }
}

/** What the keys begin with that are not kept as they came. */
const DIGEST = 'sha256:'
const JSON_VALUE = 'json:'

/**
 * Missing or empty means: not deduplicated. A text is its own key, and any other value its JSON, marked as such: 1 is not "1". Long
 * keys, those with secrets, those no database takes and texts that look like ours are kept as their digest.
 */
function dedupeKey(services: DeliveryServices, keyOf: (scope: Scope) => unknown, scope: Scope): string | null {
  let value: unknown
  try {
    value = keyOf(scope)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
  if (value === MISSING || value === null || value === '') return null
  // In JSON lone surrogates stay apart, and a text is no other value.
  const json = JSON.stringify(value)
  const text = typeof value === 'string' ? value : json
  const digest =
    text.length > 200 ||
    text.includes('\0') ||
    !text.isWellFormed() ||
    looksLikeOurs(value) ||
    services.secrets.holds(text)
  if (digest) return DIGEST + services.hashing.sha256(json)
  return typeof value === 'string' ? text : JSON_VALUE + text
}

const looksLikeOurs = (value: unknown): boolean =>
  typeof value === 'string' && (value.startsWith(DIGEST) || value.startsWith(JSON_VALUE))

async function keepDelivery(
  services: DeliveryServices,
  route: RouteRecord,
  webhook: WebhookData,
  result: { outcome: DeliveryOutcome; status: number; runId: string | null; rejection?: Rejection },
): Promise<string> {
  const id = services.ids.next('dlv')
  const { outcome, status, runId, rejection } = result
  const entry = {
    id,
    flowId: route.flowId,
    receivedAt: services.now(),
    outcome,
    code: rejection?.code ?? null,
    message: rejection?.inboxMessage ?? null,
    status,
    runId,
  }
  await services.deliveries.add({ ...entry, webhook })
  services.meters.delivery(outcome, entry.code)
  services.events.tell(route.flowId, 'delivery', id, () => ({ type: 'delivery', data: shownEntry(services)(entry) }))
  return id
}

async function captureSample(
  services: DeliveryServices,
  { route }: Admission,
  webhook: WebhookData,
): Promise<CallerReply> {
  const sample = await keepSample(services, route.flowId, webhook)
  return {
    status: 200,
    headers: [],
    body: { status: 'success', message: 'Test request received', id: sample.id },
  }
}
