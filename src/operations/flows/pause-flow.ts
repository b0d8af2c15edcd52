// Pauses and resumes flows: what arrives meanwhile is taken on, and waits.
import { stillRunningReply } from '../../engine/caller-reply.ts'
import type { Actor } from '../ports/access.ts'
import { present } from './draft.ts'
import { type FlowView, flowTarget, shownFlow } from './flow-view.ts'
import { setRoute } from './publish-flow.ts'
import type { FlowServices } from './services.ts'

/** Holds back the runs of a flow that have not begun, and new ones, until it is resumed. */
export const pauseFlow = (services: FlowServices, actor: Actor, id: string): Promise<FlowView> =>
  changePause(services, actor, id, true)

/** Lets the held runs of a flow begin, in the order in which they arrived. */
export const resumeFlow = (services: FlowServices, actor: Actor, id: string): Promise<FlowView> =>
  changePause(services, actor, id, false)

async function changePause(services: FlowServices, actor: Actor, id: string, paused: boolean): Promise<FlowView> {
  const flow = await services.audit.together(async () => {
    const record = present(await services.flows.setPaused(id, paused, services.now()), id)
    await services.audit.record(actor, paused ? 'flow.pause' : 'flow.resume', flowTarget(record))
    return record
  })
  setRoute(services, flow)
  services.scheduleChanged()
  // A process that is killed here leaves the flow as it says: a start, or the next look at the lines, does the rest.
  if (paused) {
    await services.queue.pause(id)
    await answerHeld(services, id)
    // The other processes may have senders too, and read who is held only from now on.
    services.signals.send({ topic: 'flow', flowId: id })
  } else await services.queue.resume(id)
  return shownFlow(services, flow)
}

/** Answers the senders of this process that wait for runs which a pause holds back: nobody knows when it ends. */
export async function answerHeld(
  { queue, replies }: Pick<FlowServices, 'queue' | 'replies'>,
  flowId: string,
): Promise<void> {
  const awaited = replies.awaitedOf(flowId)
  if (awaited.length === 0) return
  for (const runId of await queue.heldAmong(flowId, awaited)) replies.send(runId, stillRunningReply(runId))
}
