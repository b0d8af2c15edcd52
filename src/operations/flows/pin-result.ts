// Pins a result to a step of the draft: tests use it in place of running the step. Published versions know nothing of it.
import { findFlow } from './draft.ts'
import { findStep } from './find-step.ts'
import type { FlowServices } from './services.ts'

export async function pinResult(
  services: FlowServices,
  flowId: string,
  stepId: string,
  output: unknown,
): Promise<void> {
  const { draft } = await findFlow(services, flowId)
  findStep(flowId, JSON.parse(draft) as { steps?: unknown[] }, stepId)
  await services.samples.pin(flowId, stepId, services.secrets.redact(output, flowId), services.now())
}

export async function unpinResult(services: FlowServices, flowId: string, stepId: string): Promise<void> {
  await findFlow(services, flowId)
  await services.samples.unpin(flowId, stepId)
}
