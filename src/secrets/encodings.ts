// Takes one layer of encoding off a text, and knows where each character of the result stood. Senders choose these texts, up to
// megabytes of them: no objects per character.

export interface Decoded {
  text: string
  /** Where the character at that place of the result begins in the source. */
  sourceOf(position: number): number
}

const PERCENT = 0x25
const BACKSLASH = 0x5c
/** By the letter after the backslash. */
const ESCAPED = new Map(Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }))
const UNIT_BY_LETTER = new Map([...ESCAPED].map(([letter, text]) => [letter.charCodeAt(0), text.charCodeAt(0)]))

/** null: nothing in it is percent-encoded. */
export const percentDecoded = (text: string): Decoded | null =>
  text.includes('%') ? decoded(text, PERCENT, percentAt) : null

/** As inside a JSON string; null: nothing in it is escaped. */
export const unescaped = (text: string): Decoded | null =>
  text.includes('\\') ? decoded(text, BACKSLASH, escapeAt) : null

/** A code point and its length in the source, in one number. */
const piece = (codePoint: number, length: number): number => codePoint * 16 + length
const NO_PIECE = -1

function decoded(source: string, mark: number, pieceAt: (source: string, at: number) => number): Decoded | null {
  /** Where pieces begin in the result and in the source; in between both move in step. */
  const at = [0]
  const from = [0]
  const units = new Uint16Array(source.length)
  let length = 0
  for (let i = 0; i < source.length; ) {
    const unit = source.charCodeAt(i)
    const found = unit === mark ? pieceAt(source, i) : NO_PIECE
    if (found === NO_PIECE) {
      units[length++] = unit
      i++
      continue
    }
    at.push(length)
    from.push(i)
    const codePoint = Math.floor(found / 16)
    if (codePoint > 0xffff) units[length++] = 0xd7c0 + (codePoint >> 10)
    units[length++] = codePoint > 0xffff ? 0xdc00 | (codePoint & 0x3ff) : codePoint
    i += found % 16
    at.push(length)
    from.push(i)
  }
  if (at.length === 1) return null
  const text = Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
  return { text, sourceOf: (position) => sourceOf(position, at, from) }
}

function sourceOf(position: number, at: readonly number[], from: readonly number[]): number {
  let low = 0
  let high = at.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (at[middle]! <= position) low = middle
    else high = middle - 1
  }
  return from[low]! + position - at[low]!
}

/** Bytes that are no UTF-8 stay as they are. */
function percentAt(source: string, at: number): number {
  const byte = hexAt(source, at + 1, 2)
  if (byte < 0x80) return byte < 0 ? NO_PIECE : piece(byte, 3)
  const length = byte >= 0xf0 ? 12 : byte >= 0xe0 ? 9 : 6
  try {
    return piece(decodeURIComponent(source.slice(at, at + length)).codePointAt(0)!, length)
  } catch {
    return NO_PIECE
  }
}

function escapeAt(source: string, at: number): number {
  const letter = source.charCodeAt(at + 1)
  if (letter === 0x75) {
    const unit = hexAt(source, at + 2, 4)
    return unit < 0 ? NO_PIECE : piece(unit, 6)
  }
  const unit = UNIT_BY_LETTER.get(letter)
  return unit === undefined ? NO_PIECE : piece(unit, 2)
}

/** -1: there are not so many hexadecimal digits. */
function hexAt(source: string, at: number, digits: number): number {
  let value = 0
  for (let i = at; i < at + digits; i++) {
    const code = source.charCodeAt(i)
    const letter = code | 0x20
    if (code >= 0x30 && code <= 0x39) value = value * 16 + code - 0x30
    else if (letter >= 0x61 && letter <= 0x66) value = value * 16 + letter - 0x57
    else return -1
  }
  return value
}
