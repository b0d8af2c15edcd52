// Finds the smallest time between two planned times of a list of patterns, without listing their times: a day has thousands.
import { daysIn, type Month } from './cron-days.ts'
import type { CronFields } from './cron-fields.ts'
import type { CronPattern } from './cron-pattern.ts'

const DAY_SECONDS = 86_400

/** Returns seconds by the wall clock: at least `enough` if nothing is closer. The search ends below `enough`. */
export function smallestGap(patterns: readonly CronPattern[], enough: number): number {
  let smallest = DAY_SECONDS
  const days = patterns.map(({ fields }) => MONTHS.map((month) => daysIn(fields, month)))
  for (const [i, { fields: first }] of patterns.entries())
    for (const [j, { fields: second }] of patterns.entries()) {
      const { sameDay, nextDay } = apart(first, second)
      if (sameDay < smallest && meetOnDay(days[i]!, days[j]!)) smallest = sameDay
      if (nextDay < smallest && meetOvernight(days[i]!, days[j]!)) smallest = nextDay
      if (smallest < enough) return smallest
    }
  return smallest
}

/**
 * Returns the shortest time from one of the first pattern's times to a later one of the second's, on the same day and from
 * one day to the next. Hour, minute and second differ independently of each other, so each is looked at alone.
 */
function apart(first: CronFields, second: CronFields): { sameDay: number; nextDay: number } {
  const seconds = differences(first.seconds, second.seconds)
  const minutes = differences(first.minutes, second.minutes)
  const hours = differences(first.hours, second.hours)
  const least = (60 * hours.least + minutes.least) * 60 + seconds.least
  const sameHour = Math.min(minutes.hasZero ? seconds.above : DAY_SECONDS, 60 * minutes.above + seconds.least)
  const otherHour = (60 * hours.above + minutes.least) * 60 + seconds.least
  return { sameDay: Math.min(hours.hasZero ? sameHour : DAY_SECONDS, otherHour), nextDay: DAY_SECONDS + least }
}

/** How far numbers of the second list lie after numbers of the first. */
interface Differences {
  least: number
  hasZero: boolean
  /** The least above zero; infinite where there is none. */
  above: number
}

function differences(first: readonly number[], second: readonly number[]): Differences {
  const found = { least: second[0]! - first.at(-1)!, hasZero: false, above: Number.POSITIVE_INFINITY }
  let j = 0
  for (const number of first) {
    while (j < second.length && second[j]! < number) j++
    const isThere = second[j] === number
    if (isThere) found.hasZero = true
    const next = second[isThere ? j + 1 : j]
    if (next !== undefined && next - number < found.above) found.above = next - number
  }
  return found
}

const WEEKDAYS = 7
/** In the order of the calendar, with February of leap years last. */
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 29]
const LEAP_FEBRUARY = 12

/** All months that there are: each begins on each weekday in some year. */
const MONTHS: readonly Month[] = MONTH_DAYS.flatMap((days, i) =>
  Array.from({ length: WEEKDAYS }, (_, firstWeekday) => ({
    number: i === LEAP_FEBRUARY ? 2 : i + 1,
    firstWeekday,
    days,
  })),
)

/** The months that may follow each of MONTHS, by their places in it: January is followed by either February. */
const FOLLOWING: readonly number[][] = MONTHS.map(({ number, firstWeekday, days }) => {
  const weekday = (firstWeekday + days) % WEEKDAYS
  return (number === 1 ? [1, LEAP_FEBRUARY] : [number % 12]).map((month) => month * WEEKDAYS + weekday)
})

/** Returns whether two patterns ever mean the same day. */
const meetOnDay = (first: readonly number[], second: readonly number[]): boolean =>
  first.some((days, i) => (days & second[i]!) !== 0)

/** Returns whether the second pattern ever means the day after one of the first. */
const meetOvernight = (first: readonly number[], second: readonly number[]): boolean =>
  first.some((days, i) => {
    if (((days << 1) & second[i]!) !== 0) return true
    const hasLast = days >>> (MONTHS[i]!.days - 1) === 1
    return hasLast && FOLLOWING[i]!.some((next) => (second[next]! & 1) === 1)
  })
