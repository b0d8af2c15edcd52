// Plans the schedule of a version that goes live.
import type { FlowDocument } from '../../flow/document.ts'
import { compileSchedule, plansTheSame } from '../../flow/triggers/schedule/compile.ts'
import { previousTime } from '../../flow/triggers/schedule/planned-times.ts'
import { SCHEDULE, type ScheduleDocument } from '../../flow/triggers/schedule/schema.ts'
import type { PlanSchedule } from '../ports/schedules.ts'

/** Returns null if the flow has another trigger. */
export function planSchedule(flowId: string, { trigger }: FlowDocument, publishedAt: number): PlanSchedule | null {
  if (trigger.kind !== SCHEDULE) return null
  const settings = JSON.stringify(trigger)
  const { times, jitterOf } = compileSchedule(trigger)
  return (held, lastAt) => {
    if (held && plansTheSame(JSON.parse(held.settings) as ScheduleDocument, trigger)) return { ...held, settings }
    // A time that the version before has not come to yet belongs to this one, and none comes twice.
    const from = held?.nextAt ? Math.min(publishedAt, held.nextAt - 1) : publishedAt
    const nextAt = times.next(Math.max(from, lastAt ?? from))
    return {
      settings,
      nextAt,
      runsAt: nextAt === null ? null : nextAt + jitterOf(flowId),
      previousAt: nextAt === null ? null : previousTime(times, nextAt),
      since: held?.since ?? publishedAt,
      missed: held?.missed ?? 0,
    }
  }
}
