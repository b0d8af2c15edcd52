// What the templates of a trigger read: its filter, its dedupe key, its labels and its reply.
import { BareObject } from '../../base/bare-object.ts'
import { createRoots, type FlowIdentity, type Roots, stepBindings } from '../../engine/run-bindings.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import { ExpressionError } from '../../flow/expression/index.ts'
import type { Bindings } from '../../flow/expression/values/bindings.ts'
import type { RouteRecord } from '../ports/flows.ts'
import type { Admission } from './delivery-head.ts'
import type { DeliveryServices } from './services.ts'

/** The roots if no template of the trigger reads any. */
const NO_ROOTS: Roots = Object.freeze(Object.create(null))

/** Returns all that labels can read: many flows have no other template in their trigger. */
function labelRoots(webhook: WebhookData, config: DeliveryServices['config'], flow: FlowIdentity): Roots {
  const roots: Roots = new BareObject()
  roots['webhook'] = webhook
  roots['config'] = config
  roots['flow'] = flow
  return roots
}

export function triggerBindings(
  services: DeliveryServices,
  { flow, trigger, route }: Admission,
  webhook: WebhookData,
  { runId, createdAt }: { runId: string; createdAt: number },
  callbacks: Readonly<Record<string, unknown>> | null = null,
): Bindings {
  const { when, dedupe, reply, labels } = trigger
  const { flowId, version } = route
  const identity = { id: flowId, name: flow.name, version }
  const usesTemplates = when || dedupe || reply.status || reply.headers || reply.body
  const roots = usesTemplates
    ? createRoots(
        { webhook, given: null },
        {
          run: { id: runId, startedAt: new Date(createdAt).toISOString(), attempt: 1, replayOf: null },
          flow: identity,
          env: services.env,
          config: services.config,
          connections: Object.create(null),
        },
      )
    : labels
      ? labelRoots(webhook, services.config, identity)
      : NO_ROOTS
  if (callbacks) roots['callbacks'] = callbacks
  return stepBindings(roots, services.hashing, runId, 'trigger', createdAt)
}

/** Returns whether the filter passes. A filter that fails lets the delivery in: an extra run is better than a lost event. */
export function passesFilter(
  services: DeliveryServices,
  when: (bindings: Bindings) => boolean,
  bindings: Bindings,
  route: RouteRecord,
): boolean {
  try {
    return when(bindings)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    services.warn('the "when" of a trigger could not be evaluated', { flowId: route.flowId, reason: error.code })
    return true
  }
}
