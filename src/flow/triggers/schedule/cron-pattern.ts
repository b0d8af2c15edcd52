// Finds the times of a cron pattern on a wall clock that never changes; where that clock hangs, the zone says (zone.ts).
import { Cron } from 'croner'
import { type CronFields, calendarDay, meansDay, parseCron } from './cron-fields.ts'

const DAY_MS = 86_400_000
/** Every date falls on every weekday within 40 years, also across a year such as 2100 that has no leap day. */
const LONGEST_SEARCH_MONTHS = 41 * 12

export class CronPattern {
  readonly source: string
  readonly fields: CronFields
  readonly #cron: Cron
  /** The last time of each day that the pattern means, in milliseconds after midnight. */
  readonly #lastOfDay: number

  /** Throws CronSyntaxError. */
  constructor(source: string) {
    this.source = source
    this.fields = parseCron(source)
    const { hours, minutes, seconds } = this.fields
    this.#lastOfDay = ((hours.at(-1)! * 60 + minutes.at(-1)!) * 60 + seconds.at(-1)!) * 1000
    // Wall times are written as if they were UTC, so that the library changes no clock.
    this.#cron = new Cron(source, { paused: true, utcOffset: 0 })
  }

  /** Returns the first time after `wall`; null if there is none. */
  next(wall: number): number | null {
    const today = Math.floor(wall / DAY_MS)
    const from = Math.floor(wall / 1000) * 1000
    if (from - today * DAY_MS < this.#lastOfDay && meansDay(this.fields, calendarDay(today))) return this.#search(from)
    // The library would look at all days one by one at a high price each, so it is asked from the right day on.
    const day = this.firstDay(today + 1)
    return day === null ? null : this.#search(day * DAY_MS - 1000)
  }

  /** Returns the first day that the pattern means, `from` or later, in days since 1970; null if there is none. */
  firstDay(from: number): number | null {
    const start = new Date(from * DAY_MS)
    const [year, firstMonth] = [start.getUTCFullYear(), start.getUTCMonth()]
    for (let month = firstMonth; month < firstMonth + LONGEST_SEARCH_MONTHS; month++) {
      if (!this.fields.months.has((month % 12) + 1)) continue
      const end = Date.UTC(year, month + 1, 1) / DAY_MS
      for (let day = Math.max(from, Date.UTC(year, month, 1) / DAY_MS); day < end; day++)
        if (meansDay(this.fields, calendarDay(day))) return day
    }
    return null
  }

  #search(from: number): number | null {
    return this.#cron.nextRun(new Date(from))?.getTime() ?? null
  }
}
