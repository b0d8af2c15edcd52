// Estimates the memory that parsed data takes. The text does not tell: a kilobyte of JSON takes one to three where it is mostly text, and
// fifty where it is nothing but braces.

const EMPTY = 56
const SLOT = 8
const TEXT = 24
/** A few fields whose names are small numbers take as much as a list up to that number would. */
const NUMBERED = 300

/** To look into more objects and lists would hold the event loop. */
const MOST_OPENED = 50_000

/** Counts no further than `most` bytes. Returns Infinity if there are too many objects and lists to look into. */
export function weigh(value: unknown, most = Number.POSITIVE_INFINITY): number {
  // A list of its own in place of recursion: what a run has stored may be nested deeply.
  const open: object[] = []
  let opened = 0
  let bytes = 0
  const add = (part: unknown): void => {
    bytes += SLOT
    if (typeof part === 'string') bytes += TEXT + part.length
    else if (typeof part === 'object' && part !== null) open.push(part)
  }
  add(value)
  for (let at = open.pop(); at && bytes <= most; at = open.pop()) {
    if (++opened > MOST_OPENED) return Number.POSITIVE_INFINITY
    bytes += EMPTY
    if (Array.isArray(at)) for (const part of at) add(part)
    else
      for (const name in at) {
        if (name.charCodeAt(0) <= 0x39) bytes += NUMBERED
        add((at as Record<string, unknown>)[name])
      }
  }
  return bytes
}
