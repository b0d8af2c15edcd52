// Pins a result to a step of the draft: tests use it in place of running the step. Published versions know nothing of it.
import type { Actor } from '../../ports/access.ts'
import { findFlow } from '../draft.ts'
import { findStep } from '../find-step.ts'
import { flowTarget } from '../flow-view.ts'
import type { FlowServices } from '../services.ts'

export async function pinResult(
  services: FlowServices,
  actor: Actor,
  flowId: string,
  stepId: string,
  output: unknown,
): Promise<void> {
  const flow = await findFlow(services, flowId)
  findStep(flowId, JSON.parse(flow.draft) as { steps?: unknown[] }, stepId)
  await services.audit.together(async () => {
    await services.samples.pin(flowId, stepId, services.secrets.redact(output, flowId), services.now())
    await services.audit.record(actor, 'flow.pin', flowTarget(flow), { step: stepId })
  })
}

export async function unpinResult(services: FlowServices, actor: Actor, flowId: string, stepId: string): Promise<void> {
  const flow = await findFlow(services, flowId)
  await services.audit.together(async () => {
    await services.samples.unpin(flowId, stepId)
    await services.audit.record(actor, 'flow.unpin', flowTarget(flow), { step: stepId })
  })
}
