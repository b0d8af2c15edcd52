// Bounds on JSON from outside that JSON.parse does not set.

/** Objects and lists nest deeper than allowed. */
export const TOO_DEEP = 1
/** There may be a number beyond what a double holds, such as 1e400: it comes out of JSON.parse as Infinity. */
export const MAYBE_TOO_LARGE = 2

/** Reads the bytes of a JSON text once, without recursion; the flags above, or 0. */
export function scanJson(json: Uint8Array, maxDepth: number): number {
  let depth = 0
  let digits = 0
  let flags = 0
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if (byte >= 0x30 && byte <= 0x39) {
      if (++digits > LONGEST_SAFE_NUMBER) flags = MAYBE_TOO_LARGE
      continue
    }
    if (byte === 0x22) {
      // To the end of the string.
      for (i++; i < json.length && json[i] !== 0x22; i++) if (json[i] === 0x5c) i++
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return TOO_DEEP
    } else if (byte === 0x7d || byte === 0x5d) depth--
    else if (digits > 0 && (byte === 0x65 || byte === 0x45)) flags = MAYBE_TOO_LARGE
    digits = 0
  }
  return flags
}

/** So many digits without an exponent are always finite. */
const LONGEST_SAFE_NUMBER = 308

export function someInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(someInfinite)
}
