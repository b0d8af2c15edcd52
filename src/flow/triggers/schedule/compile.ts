// Compiles the trigger of a schedule: when it runs, and what its runs get.

import { Zone } from '../../../base/zone.ts'
import { compileLabels } from '../compile-labels.ts'
import type { CompiledCommon } from '../trigger-kind.ts'
import { CronPattern } from './cron-pattern.ts'
import { byPatterns, everySeconds, type PlannedTimes } from './planned-times.ts'
import { SCHEDULE, type ScheduleDocument } from './schema.ts'

export interface CompiledSchedule extends CompiledCommon {
  kind: typeof SCHEDULE
  timezone: string
  times: PlannedTimes
  missed: 'once' | 'all' | 'skip'
  overlap: 'queue' | 'skip' | 'allow'
  /** Returns the milliseconds by which the flow starts late: always the same for the same flow. */
  jitterOf(flowId: string): number
  input: unknown
}

export function compileSchedule(document: ScheduleDocument): CompiledSchedule {
  const {
    timezone = 'UTC',
    missed = 'once',
    overlap = 'queue',
    jitter = 0,
    input = null,
    concurrency = null,
  } = document
  return {
    kind: SCHEDULE,
    timezone,
    times: timesOf(document, timezone),
    missed,
    overlap,
    jitterOf: (flowId) => (jitter ? hash(flowId) % (jitter * 1000) : 0),
    input,
    // Runs that queue are one after the other.
    concurrency: overlap === 'queue' ? 1 : concurrency,
    labels: compileLabels(document.labels),
    finalReply: null,
    keepsReply: true,
  }
}

function timesOf({ cron, every }: ScheduleDocument, timezone: string): PlannedTimes {
  if (every !== undefined) return everySeconds(every)
  const patterns = [cron!].flat().map((source) => new CronPattern(source))
  return byPatterns(patterns, Zone.named(timezone)!)
}

/** Returns whether both documents plan the same times, so that one may take over from the other as it is. */
export const plansTheSame = (a: ScheduleDocument, b: ScheduleDocument): boolean => timing(a) === timing(b)

const timing = ({ cron, every, timezone, jitter }: ScheduleDocument): string =>
  JSON.stringify([cron && [cron].flat(), every, timezone ?? 'UTC', jitter ?? 0])

/** FNV-1a: spreads ids evenly, and is the same on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
