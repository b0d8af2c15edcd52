// Finds the times of a cron pattern on a wall clock that never changes; where that clock hangs, the zone says (zone.ts).
import { firstDay } from './cron-days.ts'
import { type CronFields, parseCron } from './cron-fields.ts'

const DAY_MS = 86_400_000

export class CronPattern {
  readonly source: string
  readonly fields: CronFields

  /** Throws CronSyntaxError. */
  constructor(source: string) {
    this.source = source
    this.fields = parseCron(source)
  }

  /** Returns the first time after `wall`; null if there is none. */
  next(wall: number): number | null {
    const from = (Math.floor(wall / 1000) + 1) * 1000
    const today = Math.floor(from / DAY_MS)
    const left = timeFrom(this.fields, (from - today * DAY_MS) / 1000)
    const day = firstDay(this.fields, left === null ? today + 1 : today)
    if (day === null) return null
    return day * DAY_MS + (day === today ? left! : timeFrom(this.fields, 0)!) * 1000
  }
}

/** Returns the first time of a day, at `from` or later, in seconds after midnight; null if the day has no more. */
function timeFrom({ hours, minutes, seconds }: CronFields, from: number): number | null {
  const [hour, minute, second] = [Math.floor(from / 3600), Math.floor(from / 60) % 60, from % 60]
  const atHour = hours.includes(hour)
  const secondLeft = atHour && minutes.includes(minute) ? seconds.find((s) => s >= second) : undefined
  if (secondLeft !== undefined) return (hour * 60 + minute) * 60 + secondLeft
  const minuteLeft = atHour ? minutes.find((m) => m > minute) : undefined
  if (minuteLeft !== undefined) return (hour * 60 + minuteLeft) * 60 + seconds[0]!
  const hourLeft = hours.find((h) => h > hour)
  return hourLeft === undefined ? null : (hourLeft * 60 + minutes[0]!) * 60 + seconds[0]!
}
