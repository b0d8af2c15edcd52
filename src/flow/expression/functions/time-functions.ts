/** Functions of dates in time zones. The zone is UTC where none is given, so that a flow gives the same result on every machine. */
import { Zone } from '../../../base/zone.ts'
import { nameOfType, toNumber, toText } from '../values/conversion.ts'
import { DateValue, hasOffset, parseDate } from '../values/date-value.ts'
import { fail } from '../values/errors.ts'
import type { Evaluation } from '../values/evaluation.ts'
import { formatWall } from './format-date.ts'
import type { GlobalFunction } from './method.ts'
import { asObject } from './object-functions.ts'

/** Asking for the offset of a zone takes some microseconds, and making a zone in an unusual spelling a hundred. */
const ZONE_WORK = 5_000

/** A wall time counts in milliseconds as if it were UTC. */
const LENGTHS = {
  weeks: 604_800_000,
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
}
const UNITS = ['years', 'months', ...Object.keys(LENGTHS)]
const STARTS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const

export const TIME_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  date: {
    arity: [1, 2],
    call(run, [given, zone]) {
      const at = instantOf(run, given)
      if (zone === undefined || typeof given !== 'string' || hasOffset(given)) return new DateValue(at)
      return new DateValue(instantAt(zoneOf(run, zone), at))
    },
  },
  addTime: {
    arity: [2, 3],
    call(run, [given, amounts, zone]) {
      const at = instantOf(run, given)
      const amount = amountsOf(run, amounts)
      const { years, months, weeks, days } = amount
      const clock = amount.hours * LENGTHS.hours + amount.minutes * LENGTHS.minutes + amount.seconds * LENGTHS.seconds
      // Days and more are those of the calendar: a day on which the clocks change has 23 or 25 hours.
      const there = zoneOf(run, zone)
      const moved =
        years || months || weeks || days
          ? instantAt(there, laterWall(at + there.offsetAt(at), years * 12 + months, weeks * 7 + days))
          : at
      return valid(moved + clock + amount.milliseconds)
    },
  },
  startOf: {
    arity: [2, 3],
    call(run, [given, unit, zone]) {
      const at = instantOf(run, given)
      const name = toText(unit) as (typeof STARTS)[number]
      if (!STARTS.includes(name)) fail(`startOf knows no "${name.slice(0, 40)}"`, `Use ${STARTS.join(', ')}.`)
      const there = zoneOf(run, zone)
      return valid(instantAt(there, wallStart(new Date(at + there.offsetAt(at)), name)))
    },
  },
  formatDate: {
    arity: [2, 3],
    call(run, [given, pattern, zone]) {
      const at = instantOf(run, given)
      const there = zoneOf(run, zone)
      const text = toText(pattern)
      run.work(100 + 20 * text.length)
      run.grow(10 * text.length)
      const offset = there.offsetAt(at)
      return formatWall(new Date(at + offset), offset, text)
    },
  },
}

/** Returns milliseconds since 1970. */
function instantOf(run: Evaluation, value: unknown): number {
  run.work(80)
  const ms = typeof value === 'string' ? parseDate(value) : toNumber(run, value)
  return new DateValue(ms).required()
}

const valid = (ms: number): DateValue => {
  const date = new DateValue(ms)
  date.required()
  return date
}

function zoneOf(run: Evaluation, name: unknown): Zone {
  run.work(ZONE_WORK)
  const zone = name === undefined ? Zone.named('UTC') : Zone.named(toText(name).slice(0, 100))
  return (
    zone ??
    fail(
      `There is no time zone "${toText(name).slice(0, 40)}"`,
      'Use a name such as Europe/Berlin, America/New_York or UTC.',
    )
  )
}

/** Returns the instant of a wall time: the first where the clocks show it twice, the end of the gap where they never do. */
function instantAt(zone: Zone, wall: number): number {
  const instants = zone.instantsOf(wall)
  return 'at' in instants ? instants.at[0] : instants.gapEnd
}

type Amounts = Record<'years' | 'months' | keyof typeof LENGTHS, number>

function amountsOf(run: Evaluation, given: unknown): Amounts {
  const object = asObject(given)
  const amounts = Object.fromEntries(UNITS.map((unit) => [unit, 0])) as Amounts
  const keys = Object.keys(object)
  run.properties(keys.length)
  for (const key of keys) {
    if (!UNITS.includes(key)) fail(`addTime knows no "${key.slice(0, 40)}"`, `Use ${UNITS.join(', ')}.`)
    const amount = toNumber(run, object[key])
    if (!Number.isInteger(amount))
      fail(
        `addTime takes whole numbers, and ${key} is ${typeof object[key] === 'number' ? amount : nameOfType(object[key])}`,
      )
    amounts[key as keyof Amounts] = amount
  }
  return amounts
}

/** Moves a wall time by the calendar; a day that the month does not have becomes its last one. */
function laterWall(wall: number, months: number, days: number): number {
  const date = new Date(wall)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(2000, 0, 1))
  last.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)
  date.setUTCDate(Math.min(day, last.getUTCDate()))
  return date.getTime() + days * LENGTHS.days
}

function wallStart(wall: Date, unit: (typeof STARTS)[number]): number {
  const ms = wall.getTime()
  if (unit === 'year' || unit === 'month') {
    const start = new Date(ms)
    start.setUTCHours(0, 0, 0, 0)
    start.setUTCMonth(unit === 'year' ? 0 : wall.getUTCMonth(), 1)
    return start.getTime()
  }
  // Weeks begin on Monday, as in ISO 8601.
  const weekdays = unit === 'week' ? (wall.getUTCDay() + 6) % 7 : 0
  const length = unit === 'week' ? LENGTHS.days : LENGTHS[`${unit}s`]
  return Math.floor(ms / length) * length - weekdays * LENGTHS.days
}
