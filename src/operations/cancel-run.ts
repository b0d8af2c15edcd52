import { defaultErrorReply } from '../engine/caller-reply.ts'
import { type FlowEvent, runTopic } from './events.ts'
import { notFound, OperationError } from './operation-error.ts'
import { type RunView, readRun } from './read-runs.ts'
import type { Actor, Services } from './services.ts'

export const CANCELLED = 'The run was cancelled.'

/** Queued, running or waiting: it ends now. Whoever runs it has lost its claim and can change nothing more. */
export async function cancelRun(services: Services, actor: Actor, id: string): Promise<RunView> {
  const followed = await services.runs.followed(id)
  if (!followed) throw notFound('run', id)
  const cancelled = await services.audit.together(async () => {
    if (!(await services.runs.cancel(id, services.now(), { code: 'cancelled', message: CANCELLED }))) return false
    await services.audit.record(actor, 'run.cancel', { kind: 'run', id, name: null }, { flow: followed.flowId })
    return true
  })
  const run = await readRun(services, id)
  if (!cancelled) {
    if (run.status === 'cancelled') return run
    throw new OperationError('conflict', `The run has ended already: it ${run.status}.`)
  }
  services.engine.cancel(id)
  services.queue.forget(run)
  services.replies.send(id, defaultErrorReply(id, CANCELLED))
  services.signals.send({ topic: 'cancelled', runId: id })
  services.meters.runFinished('cancelled')
  const { webhook: _webhook, vars: _vars, steps: _steps, ...summary } = run
  const event: FlowEvent = { type: 'run', data: summary }
  services.events.emit(runTopic(id), event)
  services.events.tell(run.flowId, 'run', id, () => event)
  return run
}
