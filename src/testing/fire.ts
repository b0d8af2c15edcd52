// Starts the run of a planned time, as the schedule of the flow would.
import type { CompiledSchedule } from '../flow/triggers/schedule/compile.ts'
import { instantOf } from '../flow/triggers/schedule/local-time.ts'
import { previousTime } from '../flow/triggers/schedule/planned-times.ts'
import { SCHEDULE } from '../flow/triggers/schedule/schema.ts'
import { scheduledStart } from '../operations/flows/given-start.ts'
import type { RouteRecord } from '../operations/ports/flows.ts'
import { startRun } from '../operations/runs/start-run.ts'
import type { Difference } from './match.ts'
import type { TestRuntime } from './test-runtime.ts'

/** `fire`: by the clock of the schedule, unless it has an offset. Returns why nothing runs at that time; null: it does. */
export async function fireAt(runtime: TestRuntime, route: RouteRecord, fire: string): Promise<Difference | null> {
  const { services, clock } = runtime
  const { trigger } = await services.published.version(route.flowId, route.version!)
  if (trigger.kind !== SCHEDULE) return { path: 'fire', expected: 'a flow with a schedule', actual: trigger.kind }
  const at = instantOf(fire, trigger.timezone)
  if (at === null) return { path: 'fire', expected: 'a time such as 2027-03-28T02:30', actual: fire }
  const planned = trigger.times.next(at - 1)
  if (planned !== at) return { path: 'fire', expected: new Date(at).toISOString(), actual: nextPlanned(planned) }
  clock.advanceTo(at)
  await startRun(services, {
    run: {
      id: services.ids.next('run'),
      flowId: route.flowId,
      version: route.version,
      document: null,
      test: false,
      ...scheduledStart(rootAt(trigger, at), false),
      hops: 0,
      replyStatus: null,
      createdAt: clock.now(),
      replayOf: null,
    },
    concurrency: trigger.concurrency,
  })
  return null
}

const nextPlanned = (at: number | null): string =>
  at === null ? 'no planned time' : `planned next at ${new Date(at).toISOString()}`

function rootAt({ times, input }: CompiledSchedule, at: number) {
  const previous = previousTime(times, at)
  return {
    at: new Date(at).toISOString(),
    previous: previous === null ? null : new Date(previous).toISOString(),
    missed: 0,
    input,
  }
}
