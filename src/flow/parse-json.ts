// JSON.parse for data from outside. Node 24's own one confuses keys: after `{"a":1,"\\":2}` it reads the key of `{"a":1,"\n":2}` as `\`
// (nodejs/node#63785), so that one sender could change another's keys. Keys with escapes take a detour around it.

const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

export function parseJson(text: string): unknown {
  return text.includes('\\') && hasEscapedKey(text) ? parseWithEscapedKeys(text) : JSON.parse(text)
}

function hasEscapedKey(text: string): boolean {
  for (const [string, colon] of text.matchAll(STRINGS)) if (colon !== undefined && string.includes('\\')) return true
  return false
}

/** Such keys are parsed under plain names, and given back to objects of their own. */
function parseWithEscapedKeys(text: string): unknown {
  let mark = '@key'
  while (text.includes(mark)) mark += '@'
  const keys: string[] = []
  const plain = text.replaceAll(STRINGS, (string, colon: string | undefined) => {
    if (colon === undefined || !string.includes('\\')) return string
    keys.push(JSON.parse(string.slice(0, -colon.length)))
    return `"${mark}${keys.length - 1}"${colon}`
  })
  return restoreKeys(JSON.parse(plain), (key) => (key.startsWith(mark) ? keys[Number(key.slice(mark.length))]! : key))
}

function restoreKeys(value: unknown, nameOf: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => restoreKeys(item, nameOf))
  if (typeof value !== 'object' || value === null) return value
  const restored: Record<string, unknown> = Object.create(null)
  for (const [key, item] of Object.entries(value)) restored[nameOf(key)] = restoreKeys(item, nameOf)
  return restored
}
