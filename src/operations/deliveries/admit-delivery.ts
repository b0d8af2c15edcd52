// Lets in a rejected delivery whose body was kept, because somebody says that it is all right.
import { CODE } from '../../base/error-catalogue.ts'
import { startedByDelivery } from '../../engine/ports/run-journal.ts'
import { MAX_HOPS } from '../../engine/waits/run-calls.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import { evaluateLabels } from '../../flow/triggers/labels.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import { findFlow } from '../flows/draft.ts'
import { notFound as noSuch, OperationError, TryLater } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { type RunView, readRun } from '../runs/read-runs.ts'
import { noRoomFor } from '../runs/room.ts'
import type { RunServices } from '../runs/services.ts'
import { startRun } from '../runs/start-run.ts'
import { readContent } from './check-body.ts'
import { checkContentType } from './check-sender.ts'
import { dedupeKey } from './dedupe-key.ts'
import { type Admission, type DeliveryHead, hopsOf } from './delivery-head.ts'
import { notFound, Rejection, tooDeep } from './rejection.ts'
import type { DeliveryServices } from './services.ts'
import { passesFilter, triggerBindings } from './trigger-bindings.ts'

type Services = RunServices & DeliveryServices

/** Makes all checks but those of who sent it, when and how often. Throws the refusal that still stands. */
export async function admitDelivery(
  services: Services,
  actor: Actor,
  flowId: string,
  deliveryId: string,
): Promise<RunView> {
  const { deliveries } = services
  await findFlow(services, flowId)
  const delivery = await deliveries.get(deliveryId, 0)
  if (delivery?.flowId !== flowId) throw noSuch('delivery', deliveryId)
  if (delivery.outcome !== 'rejected') throw conflict('It was not rejected, so there is nothing to admit.')
  if (delivery.runId !== null && (await services.runs.followed(delivery.runId))) throw admittedBefore(delivery.runId)
  const kept = await deliveries.keptRequest(deliveryId)
  if (!kept) throw conflict('Its body is not kept. Let the sender send it again.')
  const admission = await stillRefused(() => checkAgain(services, flowId, kept))
  const { trigger, route, head, webhook } = admission
  const createdAt = services.now()
  // Whoever is first decides on the run; if a crash came before that run was stored, it is stored now.
  const runId = await deliveries.leadTo(deliveryId, services.ids.next('run'))
  if (runId === null) throw noSuch('delivery', deliveryId)
  const bindings = triggerBindings(services, admission, webhook, { runId, createdAt })
  if (trigger.when && !passesFilter(services, trigger.when, bindings, route)) {
    await deliveries.leadTo(deliveryId, null, runId)
    throw conflict('The filter of the trigger, "when", leaves it out.')
  }
  const key = trigger.dedupe ? dedupeKey(services, trigger.dedupe.key, bindings) : null
  const target = { kind: 'delivery', id: deliveryId, name: null }
  const entry = () => services.audit.record(actor, 'delivery.admit', target, { flow: flowId, run: runId })
  const run = {
    id: runId,
    flowId,
    version: route.version,
    document: null,
    test: false,
    ...startedByDelivery(webhook),
    trigger: { kind: WEBHOOK, admitted: { by: actor.name, delivery: deliveryId } },
    hops: head.hops,
    replyStatus: null,
    createdAt,
    replayOf: null,
    labels:
      trigger.labels && evaluateLabels(trigger.labels, bindings, (value) => services.secrets.redact(value, flowId)),
  }
  const dedupe = key === null ? null : { key, expiresAt: createdAt + trigger.dedupe!.windowMs }
  try {
    const { duplicateOf } = await startRun(services, { run, concurrency: trigger.concurrency, dedupe, entry })
    if (duplicateOf !== null) {
      await deliveries.leadTo(deliveryId, duplicateOf, runId)
      throw conflict(`It was sent again meanwhile, and is a duplicate: see ${duplicateOf}.`)
    }
  } catch (error) {
    // Another request admitted it at the same time.
    if (!(error instanceof OperationError) && (await services.runs.followed(runId))) throw admittedBefore(runId)
    throw error
  }
  return readRun(services, runId)
}

async function checkAgain(
  services: Services,
  flowId: string,
  { headers, queryAll, rawBody, metadata }: WebhookData,
): Promise<Admission & { webhook: WebhookData }> {
  const route = await services.published.routeOf(flowId)
  if (!route || route.version === null) throw notFound()
  const flow = await services.published.version(flowId, route.version)
  const { trigger } = flow
  if (trigger.kind !== WEBHOOK) throw notFound()
  const noRoom = noRoomFor(services, route.paused)
  if (noRoom) throw new TryLater(CODE.overloaded, noRoom.message, noRoom.retryAfterS)
  const head: DeliveryHead = {
    webhookId: route.webhookId,
    test: false,
    method: metadata.method,
    target: metadata.path,
    rawHeaders: Object.entries(headers).flat(),
    headers,
    queryAll,
    hops: hopsOf(headers),
    metadata,
  }
  if (head.hops > MAX_HOPS) throw tooDeep()
  const admission = { route, flow, trigger, head }
  checkContentType(services, admission)
  return { ...admission, webhook: await readContent(admission, Buffer.from(rawBody)) }
}

async function stillRefused<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof Rejection) throw new OperationError(error.code, error.inboxMessage)
    throw error
  }
}

const conflict = (message: string): OperationError => new OperationError(CODE.conflict, message)
const admittedBefore = (runId: string): OperationError => conflict(`It was admitted before: see ${runId}.`)
