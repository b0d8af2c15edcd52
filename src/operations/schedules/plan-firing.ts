// Decides which of the planned times that have passed start a run, and when the next one is.
import type { CompiledSchedule } from '../../flow/triggers/schedule/compile.ts'
import type { PlannedTimes } from '../../flow/triggers/schedule/planned-times.ts'
import type { DueSchedule, ScheduleState } from '../ports/schedules.ts'

/** `missed: all` starts at most this many runs. */
const MOST_MADE_UP = 1_000
/** The times that are counted before other work has its turn. */
const COUNTED_AT_ONCE = 500

export interface PlannedStart {
  at: number
  previous: number | null
  /** How many times were left out before this one. */
  missed: number
}

export interface PlannedFiring {
  starts: PlannedStart[]
  becomes: ScheduleState
}

export interface Watch {
  now: number
  /** Times before this one passed unwatched. */
  missedBefore: number
  /** The most runs that start together; the others follow at the next look. */
  most: number
  /** Resolves when other work has had its turn. */
  breathe(): Promise<void>
}

type Time = Pick<PlannedStart, 'at' | 'previous'>

export async function planFiring(
  { nextAt, runsAt, previousAt, missed }: DueSchedule,
  { times, missed: mode }: Pick<CompiledSchedule, 'times' | 'missed'>,
  { now, missedBefore, most, breathe }: Watch,
): Promise<PlannedFiring> {
  const late = runsAt - nextAt
  const first: Time = { at: nextAt, previous: previousAt }
  const passed = await timesUntil(times, first, Math.min(missedBefore - 1, now) - late, breathe)
  let carried = missed
  const starts: PlannedStart[] = []
  if (mode === 'skip') carried += passed.count
  else {
    const made = mode === 'once' ? passed.newest.slice(-1) : passed.newest
    for (const time of made) {
      starts.push({ ...time, missed: carried + (time === made[0] ? passed.count - made.length : 0) })
      carried = 0
    }
  }
  let next: Time | null = passed.next
  for (; next && next.at <= now - late && starts.length <= most; next = following(times, next)) {
    starts.push({ ...next, missed: carried })
    carried = 0
  }
  const left = starts[most]
  if (left) next = left
  return {
    starts: starts.slice(0, most),
    becomes: {
      nextAt: next?.at ?? null,
      runsAt: next && next.at + late,
      previousAt: next?.previous ?? null,
      missed: left ? left.missed : carried,
    },
  }
}

/** Returns how many times there are until `until`, the newest of them, and the first one after. */
async function timesUntil(
  times: PlannedTimes,
  first: Time,
  until: number,
  breathe: () => Promise<void>,
): Promise<{ count: number; newest: Time[]; next: Time | null }> {
  let newest: Time[] = []
  let count = 0
  let next: Time | null = first
  const { stepMs } = times
  const steps = stepMs === null ? 0 : Math.floor((until - first.at) / stepMs) - MOST_MADE_UP
  if (stepMs !== null && steps > 0) {
    count = steps
    const at = first.at + steps * stepMs
    next = { at, previous: at - stepMs }
  }
  for (; next && next.at <= until; next = following(times, next)) {
    newest.push(next)
    count++
    if (newest.length >= 2 * MOST_MADE_UP) newest = newest.slice(-MOST_MADE_UP)
    if (count % COUNTED_AT_ONCE === 0) await breathe()
  }
  return { count, newest: newest.slice(-MOST_MADE_UP), next }
}

function following(times: PlannedTimes, { at }: Time): Time | null {
  const next = times.next(at)
  return next === null ? null : { at: next, previous: at }
}
