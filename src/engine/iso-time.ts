let last = Number.NaN
let text = ''

/** Returns the time in the form of ISO 8601. The last one is kept: a delivery writes its time more than once, and many come in a millisecond. */
export function isoTime(at: number): string {
  if (at !== last) {
    text = new Date(at).toISOString()
    last = at
  }
  return text
}
