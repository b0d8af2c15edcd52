import { CODE } from '../../base/error-catalogue.ts'
import type { Issue } from '../../flow/issue.ts'
import { CALL } from '../../flow/triggers/call/schema.ts'
import { requireUse } from '../connections/may-use.ts'
import { OperationError } from '../operation-error.ts'
import { type Actor, knownAs } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { requireUncalled } from './calls/check-calls.ts'
import { dataShapes, findFlow, present, publishable } from './draft.ts'
import { type FlowView, flowTarget, shownFlow } from './flow-view.ts'
import { planSchedule } from './plan-schedule.ts'
import type { FlowServices } from './services.ts'

/** Publishes the draft as an immutable version. The webhook answers with it from the moment this resolves. */
export async function publishFlow(
  services: FlowServices,
  actor: Actor,
  id: string,
): Promise<{ version: number; warnings: Issue[] }> {
  const flow = await findFlow(services, id)
  const { document, text, warnings } = await publishable(services, actor, flow, await dataShapes(services, id))
  requireUse(services, actor, document)
  // A document that passed validation must also compile before it goes live.
  services.published.compile(id, document)
  const publishedAt = services.now()
  const schedule = planSchedule(id, document, publishedAt)
  const live = await services.audit.together(async () => {
    if (document.trigger.kind !== CALL) await requireUncalled(services, actor, id)
    const published = await services.flows.publish(id, {
      revision: flow.revision,
      document: text,
      publishedAt,
      publishedBy: knownAs(actor),
      trigger: { kind: document.trigger.kind, schedule },
    })
    if (published === 'conflict')
      throw new OperationError(CODE.conflict, 'The draft was changed while it was being published; publish again.')
    const record = present(published, id) as FlowRecord
    await services.audit.record(actor, 'flow.publish', flowTarget(record), { version: record.version })
    return record
  })
  setRoute(services, live)
  services.scheduleChanged()
  return { version: live.version!, warnings }
}

export async function unpublishFlow(services: FlowServices, actor: Actor, id: string): Promise<FlowView> {
  const flow = await services.audit.together(async () => {
    await requireUncalled(services, actor, id)
    const record = present(await services.flows.unpublish(id, services.now()), id)
    await services.audit.record(actor, 'flow.unpublish', flowTarget(record))
    return record
  })
  setRoute(services, flow)
  return shownFlow(services, flow)
}

/** Replaces the webhook's URL. The old one is invalid when this resolves. */
export async function regenerateWebhook(services: FlowServices, actor: Actor, id: string): Promise<FlowView> {
  const flow = await services.audit.together(async () => {
    const record = present(await services.flows.setWebhookId(id, services.ids.webhookId(), services.now()), id)
    await services.audit.record(actor, 'flow.regenerate', flowTarget(record))
    return record
  })
  setRoute(services, flow)
  return shownFlow(services, flow)
}

/** Lets deliveries find the flow as it is now, in this process and the others. */
export function setRoute(services: FlowServices, flow: FlowRecord): void {
  const { webhookId, id: flowId, version, pausedAt } = flow
  services.published.setRoute({ webhookId, flowId, version, paused: pausedAt !== null })
  services.signals.send({ topic: 'flow', flowId: flow.id })
}
