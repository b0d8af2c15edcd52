// Removes one layer of encoding from a text: percent-encoding, the escapes of JSON and JavaScript, HTML entities, line
// breaks. Takes one pass, without exceptions or objects per character: senders choose these texts, of up to megabytes.
import type { Span } from './pattern-search.ts'

const HASH = 0x23
const SEMICOLON = 0x3b
const LETTER_U = 0x75
const LETTER_X = 0x78
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The characters at which something encoded may begin. */
const PERCENT = 0x25
const AMPERSAND = 0x26
const BACKSLASH = 0x5c
const isMark = (unit: number): boolean =>
  // Most characters are small letters, which have higher codes than all marks.
  unit <= BACKSLASH &&
  (unit === PERCENT || unit === BACKSLASH || unit === AMPERSAND || unit === LINE_FEED || unit === CARRIAGE_RETURN)

/** Maps the letter after the backslash to its character; 0 if it is not an escape. */
const ESCAPED = new Uint8Array(128)
for (const [letter, text] of Object.entries({
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}))
  ESCAPED[letter.charCodeAt(0)] = text.charCodeAt(0)

/** The entities that HTML encoders write by name: ASCII except letters and digits, and the upper half of Latin 1. */
const ENTITIES = new Map<string, number>(
  Object.entries({
    quot: '"',
    amp: '&',
    apos: "'",
    lt: '<',
    gt: '>',
    Tab: '\t',
    NewLine: '\n',
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    plus: '+',
    comma: ',',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    equals: '=',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
    rsqb: ']',
    rbrack: ']',
    Hat: '^',
    lowbar: '_',
    grave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    rcub: '}',
    rbrace: '}',
  }).map(([name, text]) => [name, text.charCodeAt(0)]),
)
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
for (const [i, name] of LATIN_1.split(' ').entries()) ENTITIES.set(name, 0xa0 + i)
const LONGEST_ENTITY = Math.max(...[...ENTITIES.keys()].map((name) => name.length))
const LONGEST_NUMBER = 8

/** Packs a code point and its length in the source into one number. */
const piece = (codePoint: number, length: number): number =>
  (codePoint === LINE_FEED || codePoint === CARRIAGE_RETURN ? NOTHING : codePoint) * 32 + length
const NO_PIECE = -1
/** A line break is removed: base64 and hexadecimal digits are wrapped at some column. */
const NOTHING = 0x110000

/** Matches anything at which something encoded may begin. */
const MARKS = /[\r\n]|%[0-9a-fA-F]{2}|\\["'\\/bfnrtux]|&[#a-zA-Z]/

/** Most texts are short, and an array for each would cost more than decoding it. */
const SCRATCH = new Uint16Array(4096)
const SCRATCH_BYTES = Buffer.from(SCRATCH.buffer)

/** Returns the text's UTF-16 units, valid until the next call. */
function unitsOf(text: string): Uint16Array {
  if (text.length > SCRATCH.length) {
    const bytes = Buffer.allocUnsafeSlow(text.length * 2)
    bytes.write(text, 'utf16le')
    return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length)
  }
  SCRATCH_BYTES.write(text, 'utf16le')
  return SCRATCH.subarray(0, text.length)
}

/** Returns null if nothing in the text is encoded. */
export function decoded(source: string): string | null {
  const first = source.search(MARKS)
  if (first === -1) return null
  const units = unitsOf(source)
  // The decoded text is never longer, so it overwrites what was read.
  let length = first
  let changed = false
  for (let i = first; i < units.length; ) {
    const unit = units[i]!
    const found = isMark(unit) ? pieceAt(units, i) : NO_PIECE
    if (found === NO_PIECE) {
      units[length++] = unit
      i++
      continue
    }
    changed = true
    i += found & 31
    const codePoint = found >> 5
    if (codePoint === NOTHING) continue
    if (codePoint > 0xffff) units[length++] = 0xd7c0 + (codePoint >> 10)
    units[length++] = codePoint > 0xffff ? 0xdc00 | (codePoint & 0x3ff) : codePoint
  }
  return changed ? Buffer.from(units.buffer, units.byteOffset, length * 2).toString('utf16le') : null
}

/** Returns where spans of `decoded(source)` are in the source. The spans must be in order and must not touch. */
export function spansBefore(source: string, spans: readonly Span[]): Span[] {
  const units = unitsOf(source)
  const found: Span[] = []
  let at = 0
  let next = 0
  let start = -1
  for (let i = 0; i < units.length && next < spans.length; ) {
    const piece = isMark(units[i]!) ? pieceAt(units, i) : NO_PIECE
    const codePoint = piece === NO_PIECE ? 0 : piece >> 5
    const from = i
    i += piece === NO_PIECE ? 1 : piece & 31
    if (codePoint === NOTHING) continue
    at += codePoint > 0xffff ? 2 : 1
    if (start === -1 && at > spans[next]!.start) start = from
    if (at < spans[next]!.end) continue
    found.push({ start, end: i })
    next++
    start = -1
  }
  return found
}

/** Decodes the text between the quotes of a JSON string; anything that is not an escape stays as it is. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  let plain = ''
  let kept = 0
  for (let at = text.indexOf('\\'); at !== -1; ) {
    const letter = text.charCodeAt(at + 1)
    const unit = letter === LETTER_U ? unitAt(text, at + 2) : ESCAPED[letter] || -1
    const end = at + (unit < 0 ? 1 : letter === LETTER_U ? 6 : 2)
    if (unit >= 0) {
      plain += text.slice(kept, at) + String.fromCharCode(unit)
      kept = end
    }
    at = text.indexOf('\\', end)
  }
  return plain + text.slice(kept)
}

/** Reads four hexadecimal digits; returns -1 if there are fewer. */
function unitAt(text: string, at: number): number {
  const digits = text.slice(at, at + 4)
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1
}

function pieceAt(source: Uint16Array, at: number): number {
  switch (source[at]!) {
    case PERCENT:
      return percentAt(source, at)
    case BACKSLASH:
      return escapeAt(source, at)
    case AMPERSAND:
      return entityAt(source, at)
    default:
      return piece(LINE_FEED, 1)
  }
}

/** Decodes percent-encoded UTF-8; other bytes stay as they are. */
function percentAt(source: Uint16Array, at: number): number {
  const lead = hexAt(source, at + 1, 2)
  if (lead < 0x80) return lead < 0 ? NO_PIECE : piece(lead, 3)
  // By the table of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
  if (lead < 0xc2 || lead > 0xf4) return NO_PIECE
  const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
  let codePoint = lead & (0x3f >> more)
  for (let i = 1; i <= more; i++) {
    const next = at + 3 * i
    const byte = source[next]! === PERCENT ? hexAt(source, next + 1, 2) : -1
    if (byte < 0x80 || byte > 0xbf) return NO_PIECE
    codePoint = (codePoint << 6) | (byte & 0x3f)
  }
  if (codePoint < LEAST[more]! || codePoint > 0x10ffff || isSurrogate(codePoint)) return NO_PIECE
  return piece(codePoint, 3 * (more + 1))
}

/** Indexed by the number of bytes that follow the first. */
const LEAST = [0, 0x80, 0x800, 0x10000]
const isSurrogate = (codePoint: number): boolean => codePoint >= 0xd800 && codePoint <= 0xdfff

function escapeAt(source: Uint16Array, at: number): number {
  const letter = source[at + 1]!
  if (letter === LETTER_U || letter === LETTER_X) {
    const digits = letter === LETTER_U ? 4 : 2
    const unit = hexAt(source, at + 2, digits)
    return unit < 0 ? NO_PIECE : piece(unit, 2 + digits)
  }
  const unit = ESCAPED[letter]
  return unit ? piece(unit, 2) : NO_PIECE
}

function entityAt(source: Uint16Array, at: number): number {
  if (source[at + 1]! === HASH) return numberAt(source, at)
  for (let end = at + 1; end <= at + 1 + LONGEST_ENTITY; end++) {
    const unit = source[end]!
    if (unit === SEMICOLON) {
      const codePoint = ENTITIES.get(String.fromCharCode(...source.subarray(at + 1, end)))
      return codePoint === undefined ? NO_PIECE : piece(codePoint, end + 1 - at)
    }
    const isName = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a
    if (!isName && !(unit >= 0x30 && unit <= 0x39)) return NO_PIECE
  }
  return NO_PIECE
}

/** Decodes `&#39;` or `&#x27;`. */
function numberAt(source: Uint16Array, at: number): number {
  const isHex = (source[at + 2]! | 0x20) === LETTER_X
  const from = at + (isHex ? 3 : 2)
  let codePoint = 0
  for (let end = from; end <= from + LONGEST_NUMBER; end++) {
    const unit = source[end]!
    if (unit === SEMICOLON && end > from)
      return codePoint > 0x10ffff || isSurrogate(codePoint) ? NO_PIECE : piece(codePoint, end + 1 - at)
    const digit = digitOf(unit)
    if (digit < 0 || (!isHex && digit > 9)) return NO_PIECE
    codePoint = codePoint * (isHex ? 16 : 10) + digit
  }
  return NO_PIECE
}

/** Returns -1 if there are fewer hexadecimal digits. */
function hexAt(source: Uint16Array, at: number, digits: number): number {
  let value = 0
  for (let i = at; i < at + digits; i++) {
    const digit = digitOf(source[i]!)
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = unit | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
