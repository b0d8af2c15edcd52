import { defaultErrorReply } from '../../engine/caller-reply.ts'
import { notFound } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { findFlow } from './draft.ts'
import { flowTarget } from './flow-view.ts'
import type { FlowServices } from './services.ts'

const FLOW_DELETED = 'The flow was deleted.'

/** Its webhook answers 404 at once; runs under way are cancelled; finished ones stay until their time is up. */
export async function deleteFlow(services: FlowServices, actor: Actor, id: string): Promise<void> {
  const flow = await findFlow(services, id)
  // First, so that nothing more is taken on for a flow that is about to go.
  services.published.removeRoute(id)
  try {
    await services.audit.together(async () => {
      if (!(await services.flows.remove(id, services.now()))) throw notFound('flow', id)
      await services.audit.record(actor, 'flow.delete', flowTarget(flow))
    })
  } catch (error) {
    // Its webhook goes on answering, unless somebody else has deleted it meanwhile.
    await services.published.readFlow(id)
    throw error
  }
  services.signals.send({ topic: 'flow_deleted', flowId: id })
  services.queue.forgetAllOf(id)
  endRunsOf(services, id)
}

/** In every process: its webhook, its runs under way, and the callers that wait for them. */
export function flowWasDeleted(services: Pick<FlowServices, 'published' | 'engine' | 'replies'>, id: string): void {
  services.published.removeRoute(id)
  endRunsOf(services, id)
}

function endRunsOf({ engine, replies }: Pick<FlowServices, 'engine' | 'replies'>, flowId: string): void {
  engine.cancelAllOf(flowId)
  replies.sendAllOf(flowId, (runId) => defaultErrorReply(runId, FLOW_DELETED))
}
