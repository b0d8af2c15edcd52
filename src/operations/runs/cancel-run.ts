import { setImmediate as nextTurn } from 'node:timers/promises'
import { CODE, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { defaultErrorReply } from '../../engine/caller-reply.ts'
import { type FlowEvent, runTopic } from '../events/events.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { type RunView, readRun } from './read-runs.ts'
import type { RunServices } from './services.ts'

const CANCELLED = STEP_ERRORS.cancelled.message
/** Runs that one transaction cancels; between two, other work has its turn. */
const AT_ONCE = 100
/** A signal has at most 8,000 bytes. */
const MOST_IN_SIGNAL = 100

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

/** Ends some hundred runs. Returns how many of them had not ended before; `record` is told so of each transaction. */
export async function cancelQuietly(
  services: RunServices,
  ids: readonly string[],
  record: (cancelled: number) => Promise<void>,
): Promise<number> {
  const runs: { id: string; flowId: string }[] = []
  const chosen = new Set(ids)
  let count = 0
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const some = ids.slice(i, i + AT_ONCE)
    const { ended, cancelled } = await services.audit.together(async () => {
      const ended = await services.runs.cancel(some, services.now(), { code: CODE.cancelled, message: CANCELLED })
      // The runs that they waited for are not counted.
      const cancelled = ended.filter(({ id }) => chosen.has(id)).length
      if (cancelled) await record(cancelled)
      return { ended, cancelled }
    })
    runs.push(...ended)
    count += cancelled
    await nextTurn()
  }
  // The queue is gone through once for all of them: it may be long.
  await cancelledRuns(services, runs)
  if (runs.length) services.queue.wake()
  return count
}

async function cancelledRuns(services: RunServices, runs: readonly { id: string; flowId: string }[]): Promise<void> {
  services.queue.forget(...runs)
  for (const { id } of runs) {
    endCancelled(services, id)
    services.meters.runFinished('cancelled')
  }
  for (let i = 0; i < runs.length; i += MOST_IN_SIGNAL)
    services.signals.send({ topic: 'cancelled', runIds: runs.slice(i, i + MOST_IN_SIGNAL).map(({ id }) => id) })
  for (const run of runs) await tellCancelled(services, run)
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
