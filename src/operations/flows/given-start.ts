// Builds what a test begins with from what the user gives, by the kind of the draft's trigger.

import { isObject } from '../../base/is-object.ts'
import { type RunStart, startedByDelivery } from '../../engine/ports/run-journal.ts'
import { compileSchedule } from '../../flow/triggers/schedule/compile.ts'
import { previousTime } from '../../flow/triggers/schedule/planned-times.ts'
import { SCHEDULE, type ScheduleDocument } from '../../flow/triggers/schedule/schema.ts'
import { type GivenWebhook, givenWebhook } from './given-webhook.ts'
import type { FlowServices } from './services.ts'

export interface GivenStart {
  webhook?: GivenWebhook
  schedule?: GivenSchedule
}

export interface GivenSchedule {
  at?: string
  previous?: string | null
  missed?: number
  input?: unknown
}

/** What templates read as `schedule`. */
export type ScheduleRoot = Required<GivenSchedule>

export async function givenStart(
  services: FlowServices,
  flowId: string,
  { trigger }: { trigger?: unknown },
  given: GivenStart,
): Promise<RunStart> {
  if (isObject(trigger) && trigger['kind'] === SCHEDULE) {
    const at = given.schedule?.at === undefined ? services.now() : Date.parse(given.schedule.at)
    const root = scheduleAt(trigger as unknown as ScheduleDocument, at)
    return scheduledStart({ ...root, ...given.schedule, at: root.at }, true)
  }
  return startedByDelivery(givenWebhook(services, given.webhook, await services.samples.latest(flowId)))
}

/** Returns the beginning of a run with a schedule. `manual`: no planned time started it. */
export function scheduledStart(root: ScheduleRoot, manual: boolean): RunStart {
  const at = Date.parse(root.at)
  return {
    trigger: { kind: SCHEDULE, at, ...(manual && { manual: true as const }) },
    webhook: null,
    given: { schedule: root },
    parent: null,
  }
}

/** Returns what a run gets at this time, whatever is planned. A trigger that is not finished has no time before it. */
export function scheduleAt(trigger: ScheduleDocument, at: number): ScheduleRoot {
  const previous = previousOf(trigger, at)
  return {
    at: new Date(at).toISOString(),
    previous: previous === null ? null : new Date(previous).toISOString(),
    missed: 0,
    input: trigger.input ?? null,
  }
}

function previousOf(trigger: ScheduleDocument, at: number): number | null {
  try {
    return previousTime(compileSchedule(trigger).times, at)
  } catch {
    return null
  }
}
