// Sends a sample of a flow's sender to the flow's own webhook, in this process and through all of its checks.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { API_ERRORS, CODE } from '../../../base/error-catalogue.ts'
import type { CallerReply } from '../../../engine/step-kind.ts'
import { collectPairs } from '../../../engine/webhook-data.ts'
import { formPairs } from '../../../flow/form-pairs.ts'
import { signsAlone } from '../../../flow/senders/describe-sender.ts'
import type { Sender, SenderSample } from '../../../flow/senders/schema.ts'
import type { CompiledWebhook } from '../../../flow/triggers/webhook/compile.ts'
import { WEBHOOK } from '../../../flow/triggers/webhook/schema.ts'
import { findFlow } from '../../flows/draft.ts'
import { flowTarget } from '../../flows/flow-view.ts'
import { OperationError } from '../../operation-error.ts'
import type { Actor } from '../../ports/access.ts'
import type { RecordEntry } from '../../ports/audit.ts'
import type { RouteRecord } from '../../ports/flows.ts'
import type { RunServices } from '../../runs/services.ts'
import { authBindings } from '../auth-bindings.ts'
import { checkSender, readSecrets } from '../check-sender.ts'
import type { DeliveryHead } from '../delivery-head.ts'
import { takeIn } from '../handshake/take-in.ts'
import { keepRejection } from '../keep-delivery.ts'
import { liveFlowOf } from '../live-flow.ts'
import { Rejection } from '../rejection.ts'
import type { DeliveryServices } from '../services.ts'
import { Later } from '../take-on.ts'
import { findSender } from './read-senders.ts'
import { signSample } from './sign-sample.ts'

type Services = RunServices & DeliveryServices

export interface SentSample {
  event: string
  /** What the webhook answered. */
  status: number
  body: unknown
  /** The delivery in the inbox; of a test, the sample that it became. */
  delivery: string | null
  runId: string | null
}

interface Wanted {
  event: string | null
  test: boolean
  /** In PEM, where the sender signs with a key pair. */
  privateKey: string | null
}

export async function sendSample(
  services: Services,
  actor: Actor,
  flowId: string,
  { event, test, privateKey }: Wanted,
): Promise<SentSample> {
  const flow = await findFlow(services, flowId)
  const route = await services.published.routeOf(flowId)
  if (!route || (!test && route.version === null))
    throw new OperationError(CODE.not_published, API_ERRORS.not_published.message)
  const target = `/api/v1/webhooks/${route.webhookId}${test ? '/test' : ''}`
  const nowMs = services.now()
  const head = headAt(target, test, route, services.ids.next('req'), nowMs)
  const trigger = await triggerOf(services, route, head)
  const sender = senderOf(services, trigger)
  const key = privateKey === null ? null : readPrivateKey(privateKey)
  if (signsAlone(sender) && key === null)
    throw conflict(
      `${sender.title} signs with a private key that only it has. Let it send a test event itself, or make a key pair of your own, give its public key to the flow, and its private key here.`,
    )
  const sample = sampleOf(sender, event)
  const { fields, url } = authBindings(services, trigger.sender, head, null).roots as {
    fields: ReturnType<NonNullable<CompiledWebhook['sender']>['fields']>
    url: string
  }
  const missing = sender.fields.find(({ name, optional }) => !optional && fields[name] === undefined)
  if (missing) throw conflict(`A sample cannot be signed: ${missing.name}, the ${missing.label}, has no value yet.`)
  const { hashing } = services
  const signed = signSample(sender, sample, {
    fields,
    url,
    nowMs,
    seed: head.metadata.requestId,
    hashing,
    privateKey: key,
  })
  const entry = () =>
    services.audit.record(actor, test ? 'flow.sample' : 'flow.run', flowTarget(flow), { sample: sample.event })
  const { status, body } = await deliver(services, route, withRequest(head, signed), signed.body, entry)
  return { event: sample.event, status, body, ...(await traceOf(services, flowId, head, test)) }
}

async function triggerOf(services: Services, route: RouteRecord, head: DeliveryHead): Promise<CompiledWebhook> {
  try {
    const { trigger, triggerConnections } = await liveFlowOf(services, route, head)
    if (triggerConnections.length) await readSecrets(services, triggerConnections, route.flowId)
    if (trigger.kind === WEBHOOK) return trigger
  } catch (error) {
    if (error instanceof Rejection) throw new OperationError(error.code, error.inboxMessage)
    throw error
  }
  throw new OperationError(CODE.wrong_trigger, 'The trigger of the flow is no webhook.')
}

function senderOf(services: Services, { sender }: CompiledWebhook): Sender {
  if (!sender) throw conflict('The trigger does not say who sends; set trigger.sender first.')
  const file = findSender(services, sender.name)
  if (!sender.authenticates)
    throw conflict(`The trigger has an auth of its own, so that a sample of ${file.title} would not be let in.`)
  return file
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new OperationError(CODE.invalid_request, 'privateKey is no private key in PEM.')
  }
}

function sampleOf({ title, samples }: Sender, event: string | null): SenderSample {
  const sample = event === null ? samples[0] : samples.find((one) => one.event === event)
  if (sample) return sample
  const names = samples.map((one) => one.event).join(', ')
  throw new OperationError(CODE.invalid_request, `There is no such sample of ${title}; there are ${names}.`)
}

function headAt(target: string, test: boolean, route: RouteRecord, requestId: string, nowMs: number): DeliveryHead {
  return {
    webhookId: route.webhookId,
    test,
    method: 'POST',
    target,
    rawHeaders: [],
    headers: Object.create(null),
    queryAll: Object.create(null),
    hops: 0,
    metadata: {
      requestId,
      receivedAt: new Date(nowMs).toISOString(),
      method: 'POST',
      path: target,
      ip: '127.0.0.1',
      userAgent: null,
      contentType: null,
      contentLength: 0,
      test,
    },
  }
}

function withRequest(head: DeliveryHead, { rawHeaders, search, body }: ReturnType<typeof signSample>): DeliveryHead {
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i < rawHeaders.length; i += 2) headers[rawHeaders[i]!] = rawHeaders[i + 1]!
  const metadata = {
    ...head.metadata,
    userAgent: headers['user-agent'] ?? null,
    contentType: headers['content-type'] ?? null,
    contentLength: body.length,
  }
  const queryAll = collectPairs(formPairs(search.slice(1)))
  return { ...head, target: head.target + search, rawHeaders, headers, queryAll, metadata }
}

async function deliver(
  services: Services,
  route: RouteRecord,
  head: DeliveryHead,
  body: Buffer,
  entry: RecordEntry,
): Promise<Pick<CallerReply, 'status' | 'body'>> {
  try {
    const admission = await checkSender(services, head, route, false)
    const taken = await takeIn(services, { ...admission, entry }, body)
    return taken instanceof Later ? await taken.reply : taken
  } catch (problem) {
    if (!(problem instanceof Rejection)) throw problem
    const { code, message } = problem
    const { status } = API_ERRORS[code]
    await keepRejection(services, route, head, problem, status)
    return { status, body: { status: 'error', code, message } }
  }
}

/** How many of the latest entries are looked through for the one that was just made. */
const LATEST = 20

async function traceOf(
  services: Services,
  flowId: string,
  { metadata: { requestId } }: DeliveryHead,
  test: boolean,
): Promise<Pick<SentSample, 'delivery' | 'runId'>> {
  const isIt = ({ webhook }: { webhook: { metadata: { requestId: string } } }) =>
    webhook.metadata.requestId === requestId
  const { items } = await services.deliveries.list({ flowId, outcome: null }, { limit: LATEST, cursor: null }, 0)
  const delivery = items.find(isIt)
  if (delivery) return { delivery: delivery.id, runId: delivery.runId }
  const sample = test ? (await services.samples.list(flowId, 0)).find(isIt) : undefined
  return { delivery: sample?.id ?? null, runId: null }
}

const conflict = (message: string): OperationError => new OperationError(CODE.conflict, message)
