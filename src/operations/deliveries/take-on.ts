// Accepts a delivery that passed every check: starts its run, or keeps it as filtered, as a duplicate or as a sample.
import { callerReply, DEFAULT_SENT, defaultReply, stillRunningReply } from '../../engine/caller-reply.ts'
import { deliveryIdOf } from '../../engine/ids.ts'
import { startedByDelivery } from '../../engine/ports/run-journal.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import type { Bindings } from '../../flow/expression/values/bindings.ts'
import { EVENT_LABEL, evaluateLabels, type Labels } from '../../flow/triggers/labels.ts'
import { startRun } from '../runs/start-run.ts'
import { dedupeKey } from './dedupe-key.ts'
import type { Admission } from './delivery-head.ts'
import type { Upload } from './files/upload.ts'
import { keepDelivery } from './keep-delivery.ts'
import { tellListeners } from './listening/listeners.ts'
import { keepSample } from './read-deliveries.ts'
import { notFound } from './rejection.ts'
import { blankUrls, replyUrls } from './reply-urls.ts'
import type { DeliveryServices } from './services.ts'
import { passesFilter, triggerBindings } from './trigger-bindings.ts'

/** Thrown if another process changed the webhook after the checks, which then have to be repeated. */
export class ChangedMeanwhile extends Error {}

/** A reply to a stored delivery that comes later: from the run, or when the sender has waited long enough. */
export class Later {
  readonly reply: Promise<CallerReply>
  constructor(reply: Promise<CallerReply>) {
    this.reply = reply
  }
}

/** Resolves when the delivery is durable. Throws Rejection and ChangedMeanwhile. */
export async function takeOn(
  services: DeliveryServices,
  admission: Admission,
  webhook: WebhookData,
  upload: Upload | null = null,
  values?: number,
): Promise<CallerReply | Later> {
  if (admission.head.test) return captureSample(services, admission, webhook, upload)
  const { trigger, route, head, flow } = admission
  // Reading the body may have taken long: the webhook must still exist.
  if (!services.published.route(head.webhookId)?.version) throw notFound()
  const createdAt = services.now()
  const runId = services.ids.next('run')
  const urls = blankUrls(trigger)
  const bindings = triggerBindings(services, admission, webhook, { runId, createdAt }, urls)

  if (trigger.when && !passesFilter(services, trigger.when, bindings, route)) {
    if (!(await services.published.isCurrent(route))) throw new ChangedMeanwhile()
    const id = await keepDelivery(services, route, webhook, {
      outcome: 'filtered',
      status: 200,
      runId: null,
      event: eventOf(labelsOf(services, admission, bindings)),
      keptData: flow.keptData,
    })
    tellListeners(services, admission, webhook, { id, outcome: 'filtered', runId: null })
    return defaultReply(id)
  }
  const ofRun = async (id: string) =>
    triggerBindings(
      services,
      admission,
      webhook,
      { runId: id, createdAt },
      urls && (await replyUrls(services, admission, id)),
    )
  const refused = (reason: string) => services.warn(DEFAULT_SENT, { flowId: route.flowId, reason })
  const immediate =
    trigger.mode === 'immediate' ? callerReply(trigger.reply, bindings, defaultReply(runId), refused) : null
  const key = trigger.dedupe ? dedupeKey(services, trigger.dedupe.key, bindings) : null
  const waiting = immediate ? null : services.replies.wait(runId, route.flowId, trigger.timeoutMs)
  const labels = labelsOf(services, admission, bindings)
  // If storing fails, nobody knows whether the run is stored.
  if (upload) upload.used = true
  const { duplicateOf, stale, held } = await startRun(services, {
    run: {
      id: runId,
      flowId: route.flowId,
      version: route.version,
      document: null,
      test: false,
      ...startedByDelivery(webhook),
      hops: head.hops,
      replyStatus: immediate?.status ?? null,
      createdAt,
      replayOf: null,
      labels,
      ...(upload && { files: upload.ids }),
    },
    concurrency: trigger.concurrency,
    dedupe: key === null ? null : { key, expiresAt: createdAt + trigger.dedupe!.windowMs },
    route,
    entry: admission.entry ?? null,
    values,
  })
  if (upload) upload.used = !stale && duplicateOf === null
  if (stale) {
    services.replies.send(runId, stillRunningReply(runId))
    await services.published.lookUp(head.webhookId)
    throw new ChangedMeanwhile()
  }
  if (duplicateOf !== null) {
    services.replies.send(runId, stillRunningReply(runId))
    // The reply names the first run.
    const usual = defaultReply(duplicateOf)
    const reply = immediate ? callerReply(trigger.reply, await ofRun(duplicateOf), usual, refused) : usual
    const duplicate = {
      outcome: 'duplicate' as const,
      status: reply.status,
      runId: duplicateOf,
      labels,
      event: eventOf(labels),
      keptData: flow.keptData,
    }
    const id = await keepDelivery(services, route, webhook, duplicate)
    tellListeners(services, admission, webhook, { id, outcome: 'duplicate', runId: duplicateOf })
    return reply
  }
  // Nobody knows when a paused flow is resumed: the sender does not wait for it.
  if (held) services.replies.send(runId, stillRunningReply(runId))
  services.meters.delivery('accepted', null)
  services.alerts.accepted(route.flowId)
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
      event: eventOf(labels),
      labels,
    },
  }))
  tellListeners(services, admission, webhook, { id: deliveryIdOf(runId), outcome: 'accepted', runId })
  if (immediate && urls) return callerReply(trigger.reply, await ofRun(runId), immediate, refused)
  return immediate ?? new Later(waiting!.then((reply) => reply ?? stillRunningReply(runId)))
}

const labelsOf = (services: DeliveryServices, { trigger, route }: Admission, bindings: Bindings): Labels | null =>
  trigger.labels && evaluateLabels(trigger.labels, bindings, (value) => services.secrets.redact(value, route.flowId))

const eventOf = (labels: Labels | null): string | null => labels?.[EVENT_LABEL] ?? null

async function captureSample(
  services: DeliveryServices,
  admission: Admission,
  webhook: WebhookData,
  upload: Upload | null,
): Promise<CallerReply> {
  if (upload) upload.used = true
  const sample = await keepSample(services, admission.route.flowId, webhook, upload?.ids, admission.entry)
  tellListeners(services, admission, webhook, { id: sample.id, outcome: 'sample', runId: null })
  return {
    status: 200,
    headers: [],
    body: { status: 'success', message: 'Test request received', id: sample.id },
  }
}
