// Bounds on JSON from outside that JSON.parse does not set.

/** Whether objects and lists nest deeper than `max`; reads the bytes once, without recursion. */
export function nestsDeeperThan(json: Uint8Array, max: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]
    if (inString) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > max) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

/** Numbers beyond what a double holds, such as 1e400, come out of JSON.parse as Infinity. */
export function holdsInfinity(text: string, value: unknown): boolean {
  return /\d[eE]\+?\d|\d{309}/.test(text) && someInfinite(value)
}

function someInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(someInfinite)
}
