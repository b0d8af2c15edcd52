// Finds the smallest time between two planned times of a list of patterns.
import { meansDay } from './cron-fields.ts'
import type { CronPattern } from './cron-pattern.ts'

/** All dates on all weekdays come in 28 years; one more day shows what follows the last. */
const FIRST_YEAR = 2001
const DAYS = 28 * 365 + 7 + 1
const DAY_SECONDS = 86_400
const DAY_MS = DAY_SECONDS * 1000
/** The weekday of 1970-01-01. */
const THURSDAY = 4

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

/** The days that a pattern means, as a list and as a table. */
interface Days {
  list: readonly number[]
  table: Uint8Array
}

function daysOf({ fields }: CronPattern): Days {
  const list: number[] = []
  const table = new Uint8Array(DAYS)
  const begin = Date.UTC(FIRST_YEAR, 0, 1) / DAY_MS
  for (let month = 0, first = begin; first < begin + DAYS; month++) {
    const end = Date.UTC(FIRST_YEAR, month + 1, 1) / DAY_MS
    // One object for all days: there are ten thousand, for each of twenty patterns.
    const day = { month: (month % 12) + 1, date: 0, weekday: 0, monthDays: end - first }
    for (let number = first; number < end && fields.months.has(day.month); number++) {
      day.date = number - first + 1
      day.weekday = (number + THURSDAY) % 7
      if (number >= begin + DAYS || !meansDay(fields, day)) continue
      list.push(number - begin)
      table[number - begin] = 1
    }
    first = end
  }
  return { list, table }
}

/** Returns whether the second pattern ever means the day that is `later` days after one of the first. */
const meet = ({ list }: Days, { table }: Days, later: number): boolean => list.some((day) => table[day + later] === 1)

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
