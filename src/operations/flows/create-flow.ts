import { requireStay } from '../access/reach.ts'
import { requireUse } from '../connections/may-use.ts'
import { type Actor, knownAs } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { draftOf, saveWithSlug } from './draft.ts'
import { type FlowView, flowTarget, shownFlow } from './flow-view.ts'
import type { FlowServices } from './services.ts'

export async function createFlow(services: FlowServices, actor: Actor, document: unknown): Promise<FlowView> {
  const id = services.ids.next('flow')
  const { name, slug, text } = draftOf(services, id, document)
  requireUse(services, actor, document)
  requireStay(actor, null, document)
  const now = services.now()
  const flow: FlowRecord = {
    id,
    name,
    draft: text,
    revision: 1,
    webhookId: services.ids.webhookId(),
    slug,
    version: null,
    publishedAt: null,
    liveTrigger: null,
    pausedAt: null,
    createdAt: now,
    updatedAt: now,
    updatedBy: knownAs(actor),
  }
  await services.audit.together(async () => {
    await saveWithSlug(services, flow, () => services.flows.create(flow))
    await services.audit.record(actor, 'flow.create', flowTarget(flow))
  })
  services.published.setRoute({ webhookId: flow.webhookId, flowId: flow.id, version: null, paused: false })
  services.signals.send({ topic: 'flow', flowId: flow.id })
  return shownFlow(services, flow)
}
