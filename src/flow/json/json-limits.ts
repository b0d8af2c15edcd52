// Bounds JSON from outside in ways that JSON.parse does not: it parses in one go, and more would block the event loop.

import type { LoopTurns } from '../../base/waiting.ts'

export interface JsonLimits {
  /** The levels of objects and lists. */
  depth: number
  values: number
  /** The different field names: the engine creates each of them, which takes far longer than a value. */
  names: number
}

/** The limits for senders and callers of the API. */
export const SENDER_LIMITS: JsonLimits = { depth: 200, values: 200_000, names: 10_000 }

export interface JsonMeasure {
  depth: number
  values: number
  /** At least the number of different names; exact if there may be too many. A name with escapes counts as several. */
  names: number
  /** A number may exceed what a double holds, such as 1e400: JSON.parse turns it into Infinity. */
  mayOverflow: boolean
}

/** How many plain names a name with escapes costs: see parse-json.ts. */
const ESCAPED_WEIGHT = 4
const weightOfEscaped = (length: number): number => ESCAPED_WEIGHT + (length >> 8)

/** How many values an object adds whose first name is a number, or may be one: V8 gives it a list up to that number, which takes as long. */
const NUMBERED_WEIGHT = 3

/** A number with at most this many digits and no exponent is always finite. */
const LONGEST_SAFE_NUMBER = 308

/** How far a text has been read. */
class Scan {
  at = 0
  open = 0
  depth = 0
  values = 1
  keys = 0
  /** Whether `at` is within a string. */
  inString = false
  /** Where the latest string begins, whether it has escapes, and whether it may be the first name of an object. */
  start = 0
  escaped = false
  first = false
  digits = 0
  mayOverflow = false
  /** The first backslash and the first quote that have not been passed, as far as they are known. */
  readonly next = { backslash: -1, quote: -1 }
}

/** Reads a JSON text once, without recursion, up to the first limit. Text that is not JSON gives arbitrary numbers. */
export function measureJson(text: string, limits: JsonLimits): JsonMeasure {
  const scan = new Scan()
  scanTo(text.length, text, limits, scan)
  const names = new Set<string>()
  return measureOf(
    scan,
    scan.keys > limits.names ? countNames(text, limits.names, { at: 0, count: 0, names }, text.length) : scan.keys,
  )
}

/** The text that is read between two looks at the clock. */
const PART = 65_536

/** Does the same as `measureJson`, in several turns of the event loop. */
export async function measureInTurns(text: string, limits: JsonLimits, turns: LoopTurns): Promise<JsonMeasure> {
  const scan = new Scan()
  while (scan.at < text.length && scan.depth <= limits.depth && scan.values <= limits.values) {
    if (turns.isOver) await turns.next()
    scanTo(scan.at + PART, text, limits, scan)
  }
  if (scan.keys <= limits.names) return measureOf(scan, scan.keys)
  const counting = { at: 0, count: 0, names: new Set<string>() }
  while (counting.at < text.length && counting.count <= limits.names) {
    if (turns.isOver) await turns.next()
    countNames(text, limits.names, counting, counting.at + PART)
  }
  return measureOf(scan, counting.count)
}

const measureOf = ({ depth, values, mayOverflow }: Scan, names: number): JsonMeasure => ({
  depth,
  values,
  names,
  mayOverflow,
})

/** In a longer string the next quote is searched for natively, which takes a tenth of the time, but costs a call. */
const LONG_STRING = 32

/** Reads on to `end`, or a little further, or to the first limit. */
function scanTo(end: number, text: string, limits: JsonLimits, scan: Scan): void {
  const length = Math.min(end, text.length)
  let { at: i, open, depth, values, keys, start, first, digits, mayOverflow } = scan
  if (scan.inString) i = skipString(text, i, length, scan) + 1
  for (; i < length && depth <= limits.depth && values <= limits.values; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x30 && unit <= 0x39) {
      if (++digits > LONGEST_SAFE_NUMBER) mayOverflow = true
      continue
    }
    if (unit === 0x22) {
      scan.escaped = false
      start = i + 1
      i = skipString(text, start, length, scan)
    } else if (unit === 0x2c) values++
    else if (unit === 0x3a) {
      keys += scan.escaped ? weightOfEscaped(i - start) : 1
      if (first && mayBeNumber(text.charCodeAt(start))) values += NUMBERED_WEIGHT
      first = false
    } else if (unit === 0x7b || unit === 0x5b) {
      values++
      first = unit === 0x7b
      if (++open > depth) depth = open
    } else if (unit === 0x7d || unit === 0x5d) open--
    else if (digits > 0 && (unit | 0x20) === 0x65) mayOverflow = true
    digits = 0
  }
  scan.at = i
  scan.open = open
  scan.depth = depth
  scan.values = values
  scan.keys = keys
  scan.start = start
  scan.first = first
  scan.digits = digits
  scan.mayOverflow = mayOverflow
}

/** Returns where the string ends, or the last place that was read if it goes on at `length`. */
function skipString(text: string, from: number, length: number, scan: Scan): number {
  let plainSince = from
  let i = from
  for (; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) {
      scan.inString = false
      return i
    }
    if (unit === 0x5c) {
      scan.escaped = true
      plainSince = ++i
    } else if (i - plainSince === LONG_STRING) i = lastPlain(text, i, scan.next)
  }
  scan.inString = true
  return i - 1
}

/** Returns the last place before the next quote or backslash. What `next` knows is not searched for again: else the time would grow with the square of the size. */
export function lastPlain(text: string, from: number, next: { backslash: number; quote: number }): number {
  if (next.backslash < from) next.backslash = placeOf('\\', text, from)
  if (next.quote < from) next.quote = placeOf('"', text, from)
  return Math.min(next.quote, next.backslash) - 1
}

function placeOf(char: string, text: string, from: number): number {
  const found = text.indexOf(char, from)
  return found === -1 ? text.length : found
}

const mayBeNumber = (unit: number): boolean => (unit >= 0x30 && unit <= 0x39) || unit === 0x5c

/** Counts different names up to `end`, only until there are too many. */
function countNames(
  text: string,
  most: number,
  counting: { at: number; count: number; names: Set<string> },
  end: number,
): number {
  const { names } = counting
  let { at, count } = counting
  for (at = text.indexOf('"', at); at !== -1 && at < end && count <= most; at = text.indexOf('"', at)) {
    const start = ++at
    for (; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
    if (!isKey(text, ++at)) continue
    const name = text.slice(start, at - 1)
    if (names.has(name)) continue
    names.add(name)
    count += name.includes('\\') ? weightOfEscaped(name.length) : 1
  }
  counting.at = at === -1 ? text.length : at
  counting.count = count
  return count
}

/** Returns whether the string that ends before `end` is a key: a colon follows. */
export function isKey(text: string, end: number): boolean {
  for (let at = end; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x3a) return true
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return false
  }
  return false
}

/** Returns which limit is exceeded, for the end of a sentence; null: none is. */
export function jsonProblem({ depth, values, names }: JsonMeasure, limits: JsonLimits): string | null {
  const shown = (count: number) => count.toLocaleString('en')
  if (depth > limits.depth) return `nested more than ${shown(limits.depth)} levels deep`
  if (values > limits.values) return `made of more than ${shown(limits.values)} values`
  return names > limits.names ? `made with more than ${shown(limits.names)} different field names` : null
}

export function someInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(someInfinite)
}
