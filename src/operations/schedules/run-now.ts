// Starts a run of a schedule at once, beside its planned times.
import type { CompiledSchedule } from '../../flow/triggers/schedule/compile.ts'
import { previousTime } from '../../flow/triggers/schedule/planned-times.ts'
import { flowTarget } from '../flows/flow-view.ts'
import { scheduledStart } from '../flows/given-start.ts'
import type { Actor } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { startRun } from '../runs/start-run.ts'
import type { ScheduleServices } from './services.ts'

/** `given`: what the run gets in place of the schedule's own input. */
export async function runNow(
  services: ScheduleServices,
  actor: Actor,
  flow: FlowRecord,
  schedule: CompiledSchedule,
  given: { input?: unknown },
): Promise<{ id: string; status: string }> {
  const now = services.now()
  const previous = previousTime(schedule.times, now)
  const root = {
    at: new Date(now).toISOString(),
    previous: previous === null ? null : new Date(previous).toISOString(),
    missed: 0,
    input: given.input === undefined ? schedule.input : given.input,
  }
  const id = services.ids.next('run')
  await services.audit.record(actor, 'flow.run', flowTarget(flow), { run: id })
  await startRun(services, {
    run: {
      id,
      flowId: flow.id,
      version: flow.version,
      document: null,
      test: false,
      ...scheduledStart(root, true),
      hops: 0,
      replyStatus: null,
      createdAt: now,
      replayOf: null,
    },
    concurrency: schedule.concurrency,
  })
  return { id, status: 'queued' }
}
