// Takes on a run durably and puts it in line.
import type { NewRun } from '../engine/run-store.ts'
import { flowTopic } from './events.ts'
import type { Dedupe } from './ports.ts'
import type { Services } from './services.ts'

export async function startRun(
  services: Services,
  run: NewRun,
  concurrency: number | null,
  dedupe: Dedupe | null,
): Promise<{ duplicateOf: string | null }> {
  const accepted = await services.runs.accept(run, dedupe)
  if (accepted.duplicateOf === null) {
    services.queue.add({ id: run.id, flowId: run.flowId, concurrency })
    const topic = flowTopic(run.flowId)
    if (services.events.watched(topic))
      services.events.emit(topic, {
        type: 'run',
        data: { id: run.id, flowId: run.flowId, status: 'queued', test: run.test },
      })
  }
  return accepted
}
