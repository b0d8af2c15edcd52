// Accepts a delivery that passed every check: starts its run, or keeps it as filtered, as a duplicate or as a sample.
import { callerReply, DEFAULT_SENT, defaultReply, stillRunningReply } from '../../engine/caller-reply.ts'
import { deliveryIdOf } from '../../engine/ids.ts'
import { createRoots, type Roots, stepScope } from '../../engine/run-scope.ts'
import type { CallerReply } from '../../engine/step-kind.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import { ExpressionError } from '../../flow/expression/index.ts'
import type { Bindings } from '../../flow/expression/values/bindings.ts'
import type { RouteRecord } from '../ports/flows.ts'
import { startRun } from '../runs/start-run.ts'
import { dedupeKey } from './dedupe-key.ts'
import type { Admission } from './delivery-head.ts'
import { keepDelivery } from './keep-delivery.ts'
import { keepSample } from './read-deliveries.ts'
import { notFound } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

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
): Promise<CallerReply | Later> {
  if (admission.head.test) return captureSample(services, admission, webhook)
  const { flow, route, head } = admission
  // Reading the body may have taken long: the webhook must still exist.
  if (!services.published.route(head.webhookId)?.version) throw notFound()
  const { trigger } = flow
  const createdAt = services.now()
  const runId = services.ids.next('run')
  const { status, headers, body: replyBody } = trigger.reply
  const usesTemplates = trigger.when || trigger.dedupe || status || headers || replyBody
  const roots = usesTemplates ? replyRoots(services, admission, webhook, runId, createdAt) : NO_ROOTS
  const scope = stepScope(roots, services.hashing, runId, 'trigger', createdAt)

  if (trigger.when && !passes(services, trigger.when, scope, route)) {
    if (!(await services.published.isCurrent(route))) throw new ChangedMeanwhile()
    const id = await keepDelivery(services, route, webhook, { outcome: 'filtered', status: 200, runId: null })
    return defaultReply(id)
  }
  const refused = (reason: string) => services.warn(DEFAULT_SENT, { flowId: route.flowId, reason })
  const immediate =
    trigger.mode === 'immediate' ? callerReply(trigger.reply, scope, defaultReply(runId), refused) : null
  const key = trigger.dedupe ? dedupeKey(services, trigger.dedupe.key, scope) : null
  const waiting = immediate ? null : services.replies.wait(runId, route.flowId, trigger.timeoutMs)
  const { duplicateOf, stale } = await startRun(services, {
    run: {
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
    concurrency: trigger.concurrency,
    dedupe: key === null ? null : { key, expiresAt: createdAt + trigger.dedupe!.windowMs },
    route,
  })
  if (stale) {
    services.replies.send(runId, stillRunningReply(runId))
    await services.published.lookUp(head.webhookId)
    throw new ChangedMeanwhile()
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

/** The roots if no template of the trigger reads any. */
const NO_ROOTS: Roots = Object.freeze(Object.create(null))

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

/** Returns the bindings for the reply to a duplicate, which names the first run. */
function duplicateScope(services: DeliveryServices, roots: Roots, runId: string, createdAt: number): Bindings {
  const run = { ...(roots['run'] as object), id: runId }
  return stepScope(Object.assign(Object.create(null), roots, { run }), services.hashing, runId, 'trigger', createdAt)
}

/** Returns whether the filter passes. A filter that fails lets the delivery in: an extra run is better than a lost event. */
function passes(
  services: DeliveryServices,
  when: (scope: Bindings) => boolean,
  scope: Bindings,
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
