/** A point in time inside an expression. Everything is UTC, so that a flow gives the same result on every machine. */
import { fail } from './errors.ts'

const ISO =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?)?)?$/
const RFC_5322 = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(?::\d{2})? (?:GMT|UTC|[+-]\d{4})$/
const MAX_DATE_MS = 8.64e15
const MINUTE_MS = 60_000

export class DateValue {
  // Private, so that no property lookup can see them.
  readonly #ms: number
  #iso: string | undefined

  constructor(ms: number) {
    this.#ms = Math.abs(ms) <= MAX_DATE_MS ? Math.trunc(ms) + 0 : Number.NaN
  }

  get ms(): number {
    return this.#ms
  }

  /** Returns the milliseconds of a valid date. */
  required(): number {
    if (Number.isNaN(this.#ms)) {
      fail(
        'This is not a valid date',
        'Dates are read from ISO 8601 or RFC 5322 text, or from milliseconds since 1970.',
      )
    }
    return this.#ms
  }

  toIso(): string {
    this.required()
    this.#iso ??= new Date(this.#ms).toISOString()
    return this.#iso
  }
}

/** Returns milliseconds since 1970, or NaN. Formats that engines read differently are not read. */
export function parseDate(text: string): number {
  const iso = ISO.exec(text)
  if (iso !== null) return isoTime(iso)
  return RFC_5322.test(text) ? Date.parse(text) : Number.NaN
}

/** Whether a text that can be read as a date says itself how far its clock is from UTC. */
export const hasOffset = (text: string): boolean => !ISO.test(text) || /[Zz]$|[+-]\d\d:?\d\d$/.test(text.slice(10))

function isoTime([
  ,
  year,
  month = '01',
  day = '01',
  hour = '0',
  minute = '0',
  second = '0',
  fraction = '',
  sign,
  h,
  m,
]: string[]) {
  const midnight = Date.UTC(2000, Number(month) - 1, Number(day))
  const date = new Date(midnight)
  // Date.UTC alone would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // 30 February and month 13 would roll over.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return Number.NaN
  const minutes = Number(hour) * 60 + Number(minute)
  if (minutes > 24 * 60 || Number(minute) > 59 || Number(second) > 59 || Number(h ?? 0) > 23 || Number(m ?? 0) > 59) {
    return Number.NaN
  }
  const offset = sign === undefined ? 0 : (Number(h) * 60 + Number(m)) * (sign === '-' ? -1 : 1)
  const ms = Number(second) * 1000 + Math.floor(Number(`0.${fraction}0`) * 1000 + 1e-6)
  return date.getTime() + (minutes - offset) * MINUTE_MS + ms
}
