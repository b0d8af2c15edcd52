// Starts a run of a schedule at once, beside its planned times.
import { CODE } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { previousTime } from '../../flow/triggers/schedule/planned-times.ts'
import { SCHEDULE } from '../../flow/triggers/schedule/schema.ts'
import { scheduledStart } from '../flows/given-start.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { type RequestedRun, type RunRequest, type StartedRun, startRequested } from '../runs/start-requested.ts'
import type { ScheduleServices } from './services.ts'

/** The run gets what the request gives in place of the schedule's own input. */
export async function runNow(
  services: ScheduleServices,
  actor: Actor,
  flow: FlowRecord,
  { input, ...request }: RunRequest,
): Promise<StartedRun> {
  const { trigger } = await services.published.version(flow.id, flow.version!)
  if (trigger.kind !== SCHEDULE)
    throw new OperationError(CODE.wrong_trigger, 'The flow was published with another trigger meanwhile; try again.')
  const now = services.now()
  const previous = previousTime(trigger.times, now)
  const root = {
    at: new Date(now).toISOString(),
    previous: previous === null ? null : new Date(previous).toISOString(),
    missed: 0,
    input: input === undefined ? trigger.input : input,
  }
  const start = scheduledStart(root, true)
  return startRequested(services, actor, flow, { start, trigger, inputOf }, request)
}

const inputOf: RequestedRun['inputOf'] = (given) => {
  const root = given?.['schedule']
  return isObject(root) ? root['input'] : undefined
}
