// Reads the header `range` (RFC 9110, 14): one part of a file. Several parts at once are not given: then the whole file is, as the
// standard allows.

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/** Returns the part that is asked for; null for the whole file, 'none' if the file has no such part. */
export function byteRange(header: string | undefined, size: number): { start: number; end: number } | null | 'none' {
  const [, first = '', last = ''] = RANGE.exec(header ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  // A part that ends before it begins is no valid range, and is passed over.
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'none' : { start, end }
}
