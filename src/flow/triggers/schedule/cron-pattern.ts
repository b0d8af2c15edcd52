// Finds the times of a cron pattern on a wall clock that never changes; where that clock hangs, the zone says (zone.ts).
import { Cron } from 'croner'
import { firstDay, LAST_OF_MONTH } from './cron-days.ts'
import { type CronFields, parseCron } from './cron-fields.ts'

const DAY_MS = 86_400_000

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
    this.#cron = new Cron(shortest(this.fields), { paused: true, utcOffset: 0 })
  }

  /** Returns the first time after `wall`; null if there is none. */
  next(wall: number): number | null {
    const today = Math.floor(wall / DAY_MS)
    const from = Math.floor(wall / 1000) * 1000
    const day = firstDay(this.fields, from - today * DAY_MS < this.#lastOfDay ? today : today + 1)
    if (day === null) return null
    // The library would look at all days one by one at a high price each, so it is asked from the right day on.
    return this.#cron.nextRun(new Date(Math.max(from, day * DAY_MS - 1000)))?.getTime() ?? null
  }
}

/** Returns the pattern in as few parts as it needs: the library takes its time over each of them. */
function shortest({ seconds, minutes, hours, months, ...days }: CronFields): string {
  const { daysOfMonth, lastOfMonth, weekdays, nthWeekdays } = days
  const nth = [...nthWeekdays].map((day) => `${Math.floor(day / 10)}#${nthName(day % 10)}`)
  return [
    ranges(seconds),
    ranges(minutes),
    ranges(hours),
    daysOfMonth ? [...ranges([...daysOfMonth]), ...(lastOfMonth ? ['L'] : [])] : ['*'],
    ranges([...months]),
    weekdays ? [...[...weekdays].map(String), ...nth] : ['*'],
  ]
    .map((parts) => parts.join(','))
    .join(' ')
}

/** Returns numbers in ascending order as ranges. */
function ranges(numbers: readonly number[]): string[] {
  const found: string[] = []
  for (let [i, first] = [0, 0]; i < numbers.length; i++) {
    if (numbers[i + 1] === numbers[i]! + 1) continue
    found.push(first === i ? String(numbers[i]) : `${numbers[first]}-${numbers[i]}`)
    first = i + 1
  }
  return found
}

const nthName = (n: number): string => (n === LAST_OF_MONTH ? 'L' : String(n))
