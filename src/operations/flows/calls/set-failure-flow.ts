// Reads and sets the flow that is called for failed runs of flows without onFailure.
import { CODE } from '../../../base/error-catalogue.ts'
import { CALL } from '../../../flow/triggers/call/schema.ts'
import { OperationError } from '../../operation-error.ts'
import type { Actor } from '../../ports/access.ts'
import { flowTarget } from '../flow-view.ts'
import type { FlowServices } from '../services.ts'

export interface FailureFlowView {
  flow: { id: string; name: string; slug: string | null } | null
}

export async function readFailureFlow({
  failureFlow,
  flows,
}: Pick<FlowServices, 'failureFlow' | 'flows'>): Promise<FailureFlowView> {
  await failureFlow.load()
  const flow = failureFlow.flowId === null ? null : await flows.get(failureFlow.flowId)
  return { flow: flow && { id: flow.id, name: flow.name, slug: flow.slug } }
}

/** Sets the failure flow by its id or slug; null: there is none. */
export async function setFailureFlow(
  services: FlowServices,
  actor: Actor,
  given: string | null,
): Promise<FailureFlowView> {
  const { flows, failureFlow } = services
  const id = given === null || given.startsWith('flow_') ? given : await flows.idOfSlug(given)
  const flow = id === null ? null : await flows.get(id)
  if (given !== null && (flow?.version ?? null) === null)
    throw new OperationError(CODE.invalid_request, 'There is no published flow of this id or slug.')
  if (flow && flow.liveTrigger !== CALL)
    throw new OperationError(CODE.invalid_request, `The flow cannot be called: its trigger is not of the kind ${CALL}.`)
  await services.audit.together(async () => {
    await failureFlow.set(flow?.id ?? null)
    await services.audit.record(actor, 'settings.failure_flow', flow && flowTarget(flow))
  })
  services.signals.send({ topic: 'settings' })
  return readFailureFlow(services)
}
