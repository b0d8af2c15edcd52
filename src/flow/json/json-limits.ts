// Bounds JSON from outside in ways that JSON.parse does not: it parses in one go, and more would block the event loop.

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

/** How many values an object adds whose first name is a number, or may be one: V8 gives it a list up to that number, which takes as long. */
const NUMBERED_WEIGHT = 3

/** A number with at most this many digits and no exponent is always finite. */
const LONGEST_SAFE_NUMBER = 308

/** Reads a JSON text once, without recursion, up to the first limit. Text that is not JSON gives arbitrary numbers. */
export function measureJson(text: string, limits: JsonLimits): JsonMeasure {
  const { length } = text
  let open = 0
  let depth = 0
  let values = 1
  let keys = 0
  let escaped = false
  /** Where the latest string begins, and whether it may be the first name of an object. */
  let start = 0
  let first = false
  let digits = 0
  let mayOverflow = false
  for (let i = 0; i < length && depth <= limits.depth && values <= limits.values; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x30 && unit <= 0x39) {
      if (++digits > LONGEST_SAFE_NUMBER) mayOverflow = true
      continue
    }
    if (unit === 0x22) {
      // Skips to the end of the string.
      escaped = false
      start = i + 1
      for (i++; i < length; i++) {
        const inside = text.charCodeAt(i)
        if (inside === 0x22) break
        if (inside === 0x5c) {
          escaped = true
          i++
        }
      }
    } else if (unit === 0x2c) values++
    else if (unit === 0x3a) {
      keys += escaped ? ESCAPED_WEIGHT : 1
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
  return { depth, values, names: keys > limits.names ? countNames(text, limits.names) : keys, mayOverflow }
}

const mayBeNumber = (unit: number): boolean => (unit >= 0x30 && unit <= 0x39) || unit === 0x5c

/** Counts different names, only until there are too many. */
function countNames(text: string, most: number): number {
  const names = new Set<string>()
  let count = 0
  for (let at = text.indexOf('"'); at !== -1 && count <= most; at = text.indexOf('"', at)) {
    const start = ++at
    for (; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
    if (!isKey(text, ++at)) continue
    const name = text.slice(start, at - 1)
    if (names.has(name)) continue
    names.add(name)
    count += name.includes('\\') ? ESCAPED_WEIGHT : 1
  }
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
