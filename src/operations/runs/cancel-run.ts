import { CODE, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { defaultErrorReply } from '../../engine/caller-reply.ts'
import { type FlowEvent, runTopic } from '../events/events.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { type RunView, readRun } from './read-runs.ts'
import type { RunServices } from './services.ts'

const CANCELLED = STEP_ERRORS.cancelled.message

/** Ends a queued, running or waiting run now. The process that runs it loses its claim and can change nothing more. */
export async function cancelRun(services: RunServices, actor: Actor, id: string): Promise<RunView> {
  const followed = await services.runs.followed(id)
  if (!followed) throw notFound('run', id)
  const cancelled = await services.audit.together(async () => {
    if (!(await services.runs.cancel(id, services.now(), { code: CODE.cancelled, message: CANCELLED }))) return false
    await services.audit.record(actor, 'run.cancel', { kind: 'run', id, name: null }, { flow: followed.flowId })
    return true
  })
  const run = await readRun(services, id)
  if (!cancelled) {
    if (run.status === 'cancelled') return run
    throw new OperationError(CODE.conflict, `The run has ended already: it ${run.status}.`)
  }
  endCancelled(services, id)
  services.queue.forget(run)
  services.signals.send({ topic: 'cancelled', runId: id })
  services.meters.runFinished('cancelled')
  const { webhook: _webhook, vars: _vars, steps: _steps, ...summary } = run
  const event: FlowEvent = { type: 'run', data: summary }
  services.events.emit(runTopic(id), event)
  services.events.tell(run.flowId, 'run', id, () => event)
  return run
}

/** Ends a cancelled run in the process that carries it, or whose caller waits for it. */
export function endCancelled({ engine, replies }: Pick<RunServices, 'engine' | 'replies'>, id: string): void {
  engine.cancel(id)
  replies.send(id, defaultErrorReply(id, CANCELLED))
}
