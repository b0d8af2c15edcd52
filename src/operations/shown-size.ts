// How much of what was kept one reply shows: it is parsed, searched for secrets and written out again in one turn of the event loop.

/** Of a body, of what a step worked with and of what came of it, and of all of them in a list: about a twentieth of a second's work. */
export const SHOWN_BYTES = 256 * 1024

/** Whether a value written as JSON is larger than that, roughly; what is far larger is not read to its end. */
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
