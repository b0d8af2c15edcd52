import { defaultErrorReply } from '../../engine/caller-reply.ts'
import { notFound } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { requireUncalled } from './calls/check-calls.ts'
import { findFlow } from './draft.ts'
import { flowTarget } from './flow-view.ts'
import type { FlowServices } from './services.ts'

const FLOW_DELETED = 'The flow was deleted.'

/** Deletes a flow. Its webhook answers 404 at once, active runs are cancelled, finished runs stay until retention ends. */
export async function deleteFlow(services: FlowServices, actor: Actor, id: string): Promise<void> {
  const flow = await findFlow(services, id)
  await requireUncalled(services, actor, id)
  // The route goes first, so that no more deliveries are accepted for the flow.
  services.published.removeRoute(id)
  try {
    await services.audit.together(async () => {
      if (!(await services.flows.remove(id, services.now()))) throw notFound('flow', id)
      await services.audit.record(actor, 'flow.delete', flowTarget(flow))
    })
  } catch (error) {
    // The flow stays: its webhook answers again, unless another process has deleted the flow meanwhile.
    await services.published.readFlow(id)
    throw error
  }
  services.signals.send({ topic: 'flow_deleted', flowId: id })
  services.queue.forgetAllOf(id)
  // Runs of other flows may have waited for its runs.
  services.queue.wake()
  endRunsOf(services, id)
}

/** Ends a deleted flow in each process: its webhook, its active runs and their waiting callers. */
export function flowWasDeleted(services: Pick<FlowServices, 'published' | 'engine' | 'replies'>, id: string): void {
  services.published.removeRoute(id)
  endRunsOf(services, id)
}

function endRunsOf({ engine, replies }: Pick<FlowServices, 'engine' | 'replies'>, flowId: string): void {
  engine.cancelAllOf(flowId)
  replies.sendAllOf(flowId, (runId) => defaultErrorReply(runId, FLOW_DELETED))
}
