// JSON.parse for data from outside. Node 24's own one confuses keys: after `{"a":1,"\\":2}` it reads the key of `{"a":1,"\n":2}` as `\`
// (nodejs/node#63785), so that one sender could change another's keys. Keys with escapes take a detour around it.

const QUOTE = 0x22
const BACKSLASH = 0x5c

export function parseJson(text: string): unknown {
  const keys = text.includes('\\') ? escapedKeys(text) : []
  return keys.length === 0 ? JSON.parse(text) : parseAround(text, keys)
}

/** Where the keys with escapes stand, quotes included. Reads unit by unit: long strings are too much for a regular expression. */
function escapedKeys(text: string): { start: number; end: number }[] {
  const keys: { start: number; end: number }[] = []
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    const start = at++
    let escaped = false
    for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++)
      if (text.charCodeAt(at) === BACKSLASH) {
        escaped = true
        at++
      }
    at++
    if (escaped && isKey(text, at)) keys.push({ start, end: at })
  }
  return keys
}

function isKey(text: string, end: number): boolean {
  while (' \t\n\r'.includes(text.charAt(end)) && end < text.length) end++
  return text.charAt(end) === ':'
}

/** Such keys are parsed under plain names, and given back to objects of their own. */
function parseAround(text: string, places: { start: number; end: number }[]): unknown {
  let mark = '@key'
  while (text.includes(mark)) mark += '@'
  const names = new Map<string, string>()
  const keys = new Map<string, string>()
  let plain = ''
  let last = 0
  for (const { start, end } of places) {
    const quoted = text.slice(start, end)
    let name = names.get(quoted)
    if (name === undefined) {
      name = `${mark}${names.size}`
      names.set(quoted, name)
      keys.set(name, JSON.parse(quoted))
    }
    plain += `${text.slice(last, start)}"${name}"`
    last = end
  }
  return restoreKeys(JSON.parse(plain + text.slice(last)), keys)
}

function restoreKeys(value: unknown, keys: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => restoreKeys(item, keys))
  if (typeof value !== 'object' || value === null) return value
  const restored: Record<string, unknown> = Object.create(null)
  for (const [name, item] of Object.entries(value)) restored[keys.get(name) ?? name] = restoreKeys(item, keys)
  return restored
}
