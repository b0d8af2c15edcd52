// JSON.parse for data from outside. Node 24's own confuses keys: after `{"a":1,"\\":2}` it reads the key of `{"a":1,"\n":2}`
// as `\` (nodejs/node#63785), so one sender could change another's keys. Escaped keys are parsed under other names.
import { isKey } from './json-limits.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

export function parseJson(text: string): unknown {
  const keys = text.includes('\\') ? escapedKeys(text) : null
  return keys === null || keys.places.length === 0 ? JSON.parse(text) : parseAround(text, keys)
}

interface EscapedKeys {
  /** The positions of the keys, quotes included. */
  places: { start: number; end: number }[]
  /** Other keys that look like the names that replace keys. */
  taken: Set<string>
}

const NAME = '@key'

/** Finds the keys with escapes, unit by unit: long strings are too much for a regular expression. */
function escapedKeys(text: string): EscapedKeys {
  const places: EscapedKeys['places'] = []
  const taken = new Set<string>()
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    const start = at++
    let escaped = false
    for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++)
      if (text.charCodeAt(at) === BACKSLASH) {
        escaped = true
        at++
      }
    at++
    const named = !escaped && text.startsWith(NAME, start + 1)
    if (!(escaped || named) || !isKey(text, at)) continue
    if (escaped) places.push({ start, end: at })
    else taken.add(text.slice(start + 1, at - 1))
  }
  return { places, taken }
}

/** Matches what JSON can only write with an escape. */
const NEEDS_ESCAPE = /["\\]|[^ -\uffff]/

/**
 * Writes a key without its escapes if it needs none. Any other key gets a plain name, by its meaning and not its spelling,
 * so that the last of equal keys wins; afterwards the names are replaced by the keys.
 */
function parseAround(text: string, escaped: EscapedKeys): unknown {
  const keys = new Map<string, string>()
  let value: unknown
  try {
    const names = namesOf(text, escaped, keys)
    const parts: string[] = []
    let last = 0
    for (const [i, { start, end }] of escaped.places.entries()) {
      parts.push(text.slice(last, start), '"', names[i]!, '"')
      last = end
    }
    parts.push(text.slice(last))
    value = JSON.parse(parts.join(''))
  } catch (error) {
    // This error has positions in the original text.
    JSON.parse(text)
    throw error
  }
  return keys.size === 0 ? value : restoreKeys(value, keys)
}

/** Returns the name for the key at each place; fills `keys` with the keys that the names replace. */
function namesOf(text: string, { places, taken }: EscapedKeys, keys: Map<string, string>): string[] {
  // The keys are parsed as values, which are not confused, and all at once, which is faster.
  const spelled = JSON.parse(`[${places.map(({ start, end }) => text.slice(start, end)).join(',')}]`) as string[]
  for (const key of spelled) if (key.startsWith(NAME) && !NEEDS_ESCAPE.test(key)) taken.add(key)
  const named = new Map<string, string>()
  let count = 0
  return spelled.map((key) => {
    if (!NEEDS_ESCAPE.test(key)) return key
    let name = named.get(key)
    if (name === undefined) {
      do name = `${NAME}${count++}`
      while (taken.has(name))
      named.set(key, name)
      keys.set(name, key)
    }
    return name
  })
}

function restoreKeys(value: unknown, keys: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => restoreKeys(item, keys))
  if (typeof value !== 'object' || value === null) return value
  const restored: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(value))
    restored[keys.get(name) ?? name] = restoreKeys((value as Record<string, unknown>)[name], keys)
  return restored
}
