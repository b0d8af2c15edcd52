// Plans the times of a schedule. A pattern whose hours are fixed means each of its wall times once a day: one that the clocks
// skip is at the first instant after the gap, one that comes twice is the first of the two. Any other follows real time.

import type { Zone } from '../../../base/zone.ts'
import type { CronPattern } from './cron-pattern.ts'

export interface PlannedTimes {
  /** Returns the first planned time after an instant; null if there is none. */
  next(after: number): number | null
  /** The milliseconds between any two planned times; null if they differ. */
  stepMs: number | null
}

export const everySeconds = (seconds: number): PlannedTimes => ({
  next: (after) => (Math.floor(after / (seconds * 1000)) + 1) * seconds * 1000,
  stepMs: seconds * 1000,
})

export function byPatterns(patterns: readonly CronPattern[], zone: Zone): PlannedTimes {
  const nexts = patterns.map((pattern) =>
    (pattern.fields.hasFixedHours ? nextFixed : nextReal).bind(null, pattern, zone),
  )
  return {
    next: (after) =>
      nexts.reduce<number | null>((first, next) => {
        const at = next(after)
        return first === null || (at !== null && at < first) ? at : first
      }, null),
    stepMs: null,
  }
}

function nextFixed(pattern: CronPattern, zone: Zone, after: number): number | null {
  for (let wall: number | null = after + zone.offsetAt(after); ; ) {
    wall = pattern.next(wall)
    if (wall === null) return null
    const instants = zone.instantsOf(wall)
    const at = 'gapEnd' in instants ? instants.gapEnd : instants.at[0]
    // A time of an hour that comes twice was in the first of the two.
    if (at > after) return at
  }
}

/** The clocks change by less than half of this. */
const NEAR_MS = 4 * 86_400_000

function nextReal(pattern: CronPattern, zone: Zone, after: number): number | null {
  let offset = zone.offsetAt(after)
  for (let [from, start] = [after, after]; ; ) {
    const wall = pattern.next(start + offset)
    if (wall === null) return null
    const at = wall - offset
    const change = zone.changeBetween(from, Math.min(at, from + NEAR_MS))
    if (change) {
      // The wall clock jumps before it gets there: the search goes on from where it jumps to.
      from = change.at
      start = change.at - 1000
      offset = change.offset
    } else if (at <= from + NEAR_MS) return at
    else {
      // No time of the pattern is near, so the changes on the way there do not matter.
      from = start = at - NEAR_MS / 2
      offset = zone.offsetAt(from)
    }
  }
}

/** The farthest that a planned time is looked for in the past. */
const LONGEST_BACK_SECONDS = 41 * 366 * 86_400

/** Returns the last planned time before an instant; null if there is none within 41 years. */
export function previousTime(times: PlannedTimes, before: number): number | null {
  const end = Math.ceil(before / 1000)
  const isPast = (second: number): boolean => {
    const next = times.next(second * 1000)
    return next !== null && next < before
  }
  let back = 1
  while (back < LONGEST_BACK_SECONDS && !isPast(end - back)) back *= 2
  // From the previous time on, the next one is not before `before` any more: halving finds where that begins.
  let [low, high] = [end - back, end]
  if (!isPast(low)) return null
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isPast(middle)) low = middle
    else high = middle
  }
  return high * 1000
}
