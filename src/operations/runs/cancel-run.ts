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
    const runs = await services.runs.cancel(id, services.now(), { code: CODE.cancelled, message: CANCELLED })
    if (runs.length)
      await services.audit.record(actor, 'run.cancel', { kind: 'run', id, name: null }, { flow: followed.flowId })
    return runs
  })
  const run = await readRun(services, id)
  if (cancelled.length === 0) {
    if (run.status === 'cancelled') return run
    throw new OperationError(CODE.conflict, `The run has ended already: it ${run.status}.`)
  }
  await cancelledRuns(services, cancelled)
  if (run.parent) services.queue.wake()
  return run
}

/** Ends a run of many that are cancelled. Returns whether it had not ended before. */
export async function cancelQuietly(services: RunServices, id: string): Promise<boolean> {
  const runs = await services.runs.cancel(id, services.now(), { code: CODE.cancelled, message: CANCELLED })
  await cancelledRuns(services, runs)
  if (runs.length) services.queue.wake()
  return runs.length > 0
}

async function cancelledRuns(services: RunServices, runs: readonly { id: string; flowId: string }[]): Promise<void> {
  for (const one of runs) {
    endCancelled(services, one.id)
    services.queue.forget(one)
    services.signals.send({ topic: 'cancelled', runId: one.id })
    services.meters.runFinished('cancelled')
    await tellCancelled(services, one)
  }
}

async function tellCancelled(services: RunServices, { id, flowId }: { id: string; flowId: string }): Promise<void> {
  const { events } = services
  // Reading the run is for those who watch.
  const isWatched = events.watched(runTopic(id)) || events.watchedOf(flowId)
  if (!isWatched) {
    events.relay?.pass({ type: 'run', id, flowId })
    return
  }
  const {
    webhook: _webhook,
    vars: _vars,
    children: _children,
    steps: _steps,
    onFailure: _onFailure,
    ...summary
  } = await readRun(services, id)
  const event: FlowEvent = { type: 'run', data: summary }
  events.emit(runTopic(id), event)
  events.tell(flowId, 'run', id, () => event)
}

/** Ends a cancelled run in the process that carries it, or whose caller waits for it. */
export function endCancelled({ engine, replies }: Pick<RunServices, 'engine' | 'replies'>, id: string): void {
  engine.cancel(id)
  replies.send(id, defaultErrorReply(id, CANCELLED))
}
