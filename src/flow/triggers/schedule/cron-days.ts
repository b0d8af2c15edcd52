// Tells which days a cron pattern means. The days of a month are bits of one number, the 1st being the lowest: whole months are
// compared at once, since patterns that come once in decades are searched for, and compared with one another.

const DAY_MS = 86_400_000
/** The weekday of 1970-01-01. */
const THURSDAY = 4

/** The days that a pattern means, as far as they are restricted. */
export interface CronDays {
  /** null: every day of the month. */
  daysOfMonth: ReadonlySet<number> | null
  lastOfMonth: boolean
  months: ReadonlySet<number>
  /** 0 is Sunday; null: every weekday. */
  weekdays: ReadonlySet<number> | null
  /** Weekdays of which only one in a month counts, as `weekday * 10 + n`; n is 6 for the last. */
  nthWeekdays: ReadonlySet<number>
}

export const LAST_OF_MONTH = 6

/** All that a pattern can know of a month. */
export interface Month {
  /** 1 is January. */
  number: number
  firstWeekday: number
  days: number
}

/** Returns the days that the pattern means; a restricted day of month and a restricted weekday combine by OR. */
export function daysIn(pattern: CronDays, month: Month): number {
  const { daysOfMonth, lastOfMonth, weekdays, nthWeekdays } = pattern
  if (!pattern.months.has(month.number)) return 0
  const all = 2 ** month.days - 1
  if (!daysOfMonth && !weekdays) return all
  let found = lastOfMonth ? bit(month.days) : 0
  for (const date of daysOfMonth ?? []) found |= bit(date)
  for (const weekday of weekdays ?? [])
    for (let date = firstDate(month, weekday); date <= month.days; date += 7) found |= bit(date)
  for (const nth of nthWeekdays) found |= nthDay(month, Math.floor(nth / 10), nth % 10)
  return found & all
}

const bit = (date: number): number => 1 << (date - 1)

const firstDate = ({ firstWeekday }: Month, weekday: number): number => 1 + ((weekday - firstWeekday + 7) % 7)

/** Returns no day where the month has no such weekday. */
function nthDay(month: Month, weekday: number, n: number): number {
  const first = firstDate(month, weekday)
  const date = first + 7 * (n === LAST_OF_MONTH ? Math.floor((month.days - first) / 7) : n - 1)
  return date <= month.days ? bit(date) : 0
}

/** Every date falls on every weekday within 40 years, also across a year such as 2100 that has no leap day. */
const LONGEST_SEARCH_MONTHS = 41 * 12

/** Returns the first day that the pattern means, `from` or later, in days since 1970; null if there is none. */
export function firstDay(pattern: CronDays, from: number): number | null {
  const start = new Date(from * DAY_MS)
  const [year, firstMonth] = [start.getUTCFullYear(), start.getUTCMonth()]
  for (let month = firstMonth; month < firstMonth + LONGEST_SEARCH_MONTHS; month++) {
    const number = (month % 12) + 1
    if (!pattern.months.has(number)) continue
    const first = Date.UTC(year, month, 1) / DAY_MS
    const days = Date.UTC(year, month + 1, 1) / DAY_MS - first
    const skipped = Math.max(0, from - first)
    const found = daysIn(pattern, { number, firstWeekday: weekdayOf(first), days }) >>> skipped
    if (found !== 0) return first + skipped + 31 - Math.clz32(found & -found)
  }
  return null
}

const weekdayOf = (day: number): number => (((day + THURSDAY) % 7) + 7) % 7
