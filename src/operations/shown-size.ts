// Limits the data in one reply: it is parsed, searched for secrets and written out in one turn of the event loop.

/** The limit for a body, a step's input or output, and all of them in a list: about a twentieth of a second's work. */
export const SHOWN_BYTES = 256 * 1024

/** Returns whether the value's JSON exceeds `most`, roughly. A far larger value is not read to its end. */
export function isLarge(value: unknown, most = SHOWN_BYTES): boolean {
  const open: unknown[] = [value]
  let size = 0
  while (open.length && size <= most) {
    const next = open.pop()
    if (typeof next === 'string') size += next.length
    else if (Array.isArray(next)) {
      size += next.length
      if (size <= most) for (const item of next) open.push(item)
    } else if (typeof next === 'object' && next !== null)
      for (const key in next) {
        size += key.length + 4
        if (size > most) break
        open.push((next as Record<string, unknown>)[key])
      }
    else size += 4
  }
  return size > most
}
