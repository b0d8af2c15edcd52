// The characters of XML 1.0: what a name may be made of, and what no document can hold.

/** Pairs of the first and the last code. */
const NAME_START = [
  0x3a, 0x3a, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a, 0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x2ff, 0x370, 0x37d, 0x37f, 0x1fff,
  0x200c, 0x200d, 0x2070, 0x218f, 0x2c00, 0x2fef, 0x3001, 0xd7ff, 0xf900, 0xfdcf, 0xfdf0, 0xfffd, 0x10000, 0xeffff,
]
const NAME_REST = [0x2d, 0x2e, 0x30, 0x39, 0xb7, 0xb7, 0x300, 0x36f, 0x203f, 0x2040]

function isIn(ranges: readonly number[], code: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) if (code >= ranges[i]! && code <= ranges[i + 1]!) return true
  return false
}

const START = 1
const REST = 2
const ASCII = new Uint8Array(128)
for (let unit = 0; unit < ASCII.length; unit++)
  ASCII[unit] = isIn(NAME_START, unit) ? START : isIn(NAME_REST, unit) ? REST : 0

const LONGEST_NAME = 1_000

/** Returns where the name that begins at `start` ends; `start` itself if none does. A longer name is cut, and so is none. */
export function nameEnd(text: string, start: number): number {
  let at = start
  const most = Math.min(text.length, start + LONGEST_NAME)
  for (let unit = text.charCodeAt(at); at < most; unit = text.charCodeAt(at)) {
    if (unit < 128) {
      const kind = ASCII[unit]
      if (kind !== START && (kind !== REST || at === start)) break
      at++
    } else {
      const code = text.codePointAt(at)!
      if (!isIn(NAME_START, code) && (at === start || !isIn(NAME_REST, code))) break
      at += code > 0xffff ? 2 : 1
    }
  }
  return at
}

export const isXmlName = (text: string): boolean => text !== '' && nameEnd(text, 0) === text.length

const NO_CHARACTER = /[^\t\n\r\x20-\ufffd]/

/** Returns the place of the first unit within these that no XML document can hold; -1: there is none. */
export function unfitUnit(text: string, from: number, to: number): number {
  const at = text.slice(from, to).search(NO_CHARACTER)
  return at === -1 ? -1 : from + at
}

/** Returns the place of the first half of a surrogate pair; -1: there is none. */
export const halfPair = (text: string): number => (text.isWellFormed() ? -1 : text.search(/\p{Surrogate}/u))

/** Returns the place of the first character that no XML document can hold; -1: there is none. */
export function unfitForXml(text: string): number {
  const at = unfitUnit(text, 0, text.length)
  return at === -1 ? halfPair(text) : at
}

export const isXmlCharacter = (code: number): boolean =>
  code >= 0x20
    ? code < 0xd800 || (code > 0xdfff && code !== 0xfffe && code !== 0xffff && code <= 0x10ffff)
    : code === 9 || code === 10 || code === 13

export const isXmlSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x09 || unit === 0x0d

const FEW = 64
const NO_SPACE = /[^ \t\n\r]/g

/** Returns where the white space from `start` on ends. */
export function spaceEnd(text: string, start: number): number {
  for (let at = start; at < start + FEW; at++) if (!isXmlSpace(text.charCodeAt(at))) return at
  // A regular expression is faster in the long run, and slower to begin.
  NO_SPACE.lastIndex = start + FEW
  return NO_SPACE.test(text) ? NO_SPACE.lastIndex - 1 : text.length
}

export const isBlank = (text: string): boolean => text === '' || spaceEnd(text, 0) === text.length

/** Returns the text without the white space around it. */
export function trimmed(text: string): string {
  const start = spaceEnd(text, 0)
  let end = text.length
  while (end > start && isXmlSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
