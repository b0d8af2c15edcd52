// Finds the smallest time between two planned times of a list of patterns.
import { calendarDay, meansDay } from './cron-fields.ts'
import type { CronPattern } from './cron-pattern.ts'

/** All dates on all weekdays come in 28 years; one more day shows what follows the last. */
const FIRST_DAY = Date.UTC(2001, 0, 1) / 86_400_000
const DAYS = 28 * 365 + 7 + 1
const DAY_SECONDS = 86_400

/** Returns seconds by the wall clock: at least `enough` if nothing is closer. The search ends below `enough`. */
export function smallestGap(patterns: readonly CronPattern[], enough: number): number {
  let smallest = Math.min(...patterns.map(withinMinute))
  if (smallest < enough) return smallest
  const times = patterns.map(timesOfDay)
  const days = patterns.map(daysOf)
  for (const [i, mine] of times.entries())
    for (const [j, others] of times.entries()) {
      if (j >= i && meet(days[i]!, days[j]!, 0)) smallest = Math.min(smallest, apart(mine, others))
      const overnight = DAY_SECONDS - mine.at(-1)! + others[0]!
      if (overnight < smallest && meet(days[i]!, days[j]!, 1)) smallest = overnight
      if (smallest < enough) return smallest
    }
  return smallest
}

/** Returns the smallest gap between the seconds of a pattern: whatever else it says, they are in the same minute. */
function withinMinute({ fields: { seconds } }: CronPattern): number {
  return seconds.reduce((least, second, i) => (i ? Math.min(least, second - seconds[i - 1]!) : least), DAY_SECONDS)
}

const timesOfDay = ({ fields: { hours, minutes, seconds } }: CronPattern): number[] =>
  hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((second) => (hour * 60 + minute) * 60 + second)))

function daysOf({ fields }: CronPattern): Uint8Array {
  const days = new Uint8Array(DAYS)
  for (let day = 0; day < DAYS; day++) if (meansDay(fields, CALENDAR()[day]!)) days[day] = 1
  return days
}

let calendar: ReturnType<typeof calendarDay>[] | null = null
const CALENDAR = () => (calendar ??= Array.from({ length: DAYS }, (_, day) => calendarDay(FIRST_DAY + day)))

/** Returns whether the second pattern ever means the day that is `later` days after one of the first. */
function meet(first: Uint8Array, second: Uint8Array, later: number): boolean {
  for (let day = 0; day + later < DAYS; day++) if (first[day] && second[day + later]) return true
  return false
}

/** Returns the smallest distance between two different times of two sorted lists. */
function apart(first: readonly number[], second: readonly number[]): number {
  let least = DAY_SECONDS
  for (let [i, j] = [0, 0]; i < first.length && j < second.length; ) {
    const distance = first[i]! - second[j]!
    if (distance !== 0) least = Math.min(least, Math.abs(distance))
    // Equal times are one: each is compared with what follows it in the other list.
    else
      for (const follows of [second[j + 1], first[i + 1]])
        if (follows !== undefined) least = Math.min(least, follows - first[i]!)
    if (distance <= 0) i++
    else j++
  }
  return least
}
