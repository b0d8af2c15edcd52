// Reads a cron pattern: its fields as sets of numbers, or what is wrong with it and where.
import { type CronDays, LAST_OF_MONTH } from './cron-days.ts'

export interface CronFields extends CronDays {
  seconds: readonly number[]
  minutes: readonly number[]
  hours: readonly number[]
  /** Whether the hours are named, so that each time is meant once a day whatever the clocks do. */
  hasFixedHours: boolean
}

/** Thrown with the field and the position, from 1, of the character at which a pattern stops making sense. */
export class CronSyntaxError extends Error {
  constructor(field: string | null, position: number, problem: string) {
    super(`${field === null ? '' : `the ${field} `}${problem} (at character ${position})`)
  }
}

interface Field {
  name: string
  least: number
  most: number
  names?: readonly string[]
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const SECOND: Field = { name: 'second', least: 0, most: 59 }
const MINUTE: Field = { name: 'minute', least: 0, most: 59 }
const HOUR: Field = { name: 'hour', least: 0, most: 23 }
const DAY: Field = { name: 'day of month', least: 1, most: 31 }
const MONTH: Field = { name: 'month', least: 1, most: 12, names: MONTHS }
const WEEKDAY: Field = { name: 'weekday', least: 0, most: 7, names: WEEKDAYS }

/** A part of a field's list, and the position of its first character in the pattern. */
interface Part {
  text: string
  at: number
}

export function parseCron(pattern: string): CronFields {
  const words = [...pattern.matchAll(/\S+/g)].map((match): Part => ({ text: match[0], at: match.index }))
  if (words.length !== 5 && words.length !== 6)
    throw new CronSyntaxError(
      null,
      (words[6]?.at ?? pattern.length) + 1,
      `a pattern has five fields, or six with seconds first; this one has ${words.length}`,
    )
  const [second, minute, hour, day, month, weekday] = words.length === 6 ? words : [null, ...words]
  const days = dayOfMonth(day!)
  const hours = numbers(HOUR, partsOf(hour!))
  return {
    seconds: second ? numbers(SECOND, partsOf(second)) : [0],
    minutes: numbers(MINUTE, partsOf(minute!)),
    hours,
    hasFixedHours: hours.length < 24 && !/[*/]/.test(hour!.text),
    ...days,
    months: new Set(numbers(MONTH, partsOf(month!))),
    ...dayOfWeek(weekday!),
  }
}

function dayOfMonth(field: Part): Pick<CronDays, 'daysOfMonth' | 'lastOfMonth'> {
  if (field.text === '*') return { daysOfMonth: null, lastOfMonth: false }
  const parts = partsOf(field)
  const isLast = ({ text }: Part) => text.toUpperCase() === 'L'
  const days = numbers(
    DAY,
    parts.filter((part) => !isLast(part)),
  )
  return { daysOfMonth: new Set(days), lastOfMonth: parts.some(isLast) }
}

function dayOfWeek(field: Part): Pick<CronDays, 'weekdays' | 'nthWeekdays'> {
  if (field.text === '*') return { weekdays: null, nthWeekdays: new Set() }
  const weekdays = new Set<number>()
  const nthWeekdays = new Set<number>()
  for (const part of partsOf(field)) {
    const nth = /^(.*?)(?:#(.*)|L)$/i.exec(part.text)
    if (!nth) {
      for (const day of numbers(WEEKDAY, [part])) weekdays.add(day % 7)
      continue
    }
    const day = numberIn(WEEKDAY, { text: nth[1]!, at: part.at }) % 7
    const n = nth[2]
    if (n !== undefined && !/^[1-5]$/.test(n))
      throw new CronSyntaxError(WEEKDAY.name, part.at + nth[1]!.length + 2, 'needs a number from 1 to 5 after #')
    nthWeekdays.add(day * 10 + (n === undefined ? LAST_OF_MONTH : Number(n)))
  }
  return { weekdays, nthWeekdays }
}

function partsOf({ text, at }: Part): Part[] {
  let offset = at
  return text.split(',').map((part) => {
    const found = { text: part, at: offset }
    offset += part.length + 1
    return found
  })
}

function numbers(field: Field, parts: readonly Part[]): number[] {
  const found = new Set<number>()
  for (const part of parts) {
    const [range, step, ...more] = part.text.split('/')
    const stepAt = part.at + range!.length + 1
    if (more.length) throw new CronSyntaxError(field.name, stepAt + step!.length + 1, 'has a second /')
    const [first, last] = rangeOf(field, { text: range!, at: part.at }, step !== undefined)
    const by = step === undefined ? 1 : stepOf(field, { text: step, at: stepAt })
    for (let n = first; n <= last; n += by) found.add(n)
  }
  return [...found].toSorted((a, b) => a - b)
}

function rangeOf(field: Field, { text, at }: Part, hasStep: boolean): [first: number, last: number] {
  if (text === '*') return [field.least, field === WEEKDAY ? 6 : field.most]
  const dash = text.indexOf('-')
  if (dash < 0) {
    const only = numberIn(field, { text, at })
    if (hasStep)
      throw new CronSyntaxError(field.name, at + text.length + 1, 'has a step after a number; write */n or a-b/n')
    return [only, only]
  }
  const first = numberIn(field, { text: text.slice(0, dash), at })
  const last = numberIn(field, { text: text.slice(dash + 1), at: at + dash + 1 })
  if (first > last) throw new CronSyntaxError(field.name, at + 1, 'has a range whose end comes before its start')
  return [first, last]
}

function stepOf(field: Field, { text, at }: Part): number {
  const by = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (by < 1 || by > field.most)
    throw new CronSyntaxError(field.name, at + 1, `needs a step from 1 to ${field.most} after /`)
  return by
}

function numberIn({ name, least, most, names }: Field, { text, at }: Part): number {
  const named = names?.indexOf(text.toUpperCase()) ?? -1
  if (named >= 0) return named + least
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  const digits = /^\d{0,2}/.exec(text)![0].length
  const wrongAt = digits === text.length || digits === 0 ? 0 : digits
  throw new CronSyntaxError(name, at + wrongAt + 1, `is a number from ${least} to ${most}${orNames(names)}`)
}

const orNames = (names: readonly string[] | undefined): string => (names ? ` or a name such as ${names[1]}` : '')
