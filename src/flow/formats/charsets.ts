// The charsets of texts: which one bytes are in, and texts as bytes of another charset than UTF-8.
import { FormatError } from './format-error.ts'

/** Returns the charset that a content type names, in lower case. */
export function charsetOf(contentType: string | null | undefined): string | null {
  const found = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,]*))/i.exec(contentType ?? '')
  return (found?.[1] ?? found?.[2] ?? found?.[3])?.trim().toLowerCase() || null
}

/** Returns the charset that a byte order mark tells of. */
export function charsetOfMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/** An XML declaration is far shorter. */
const LONGEST_DECLARATION = 200

/** Returns the charset that XML tells of itself: by its declaration, or by the zeros of UTF-16. */
export function charsetOfXml(bytes: Uint8Array): string | null {
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le'
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be'
  let head = ''
  for (const byte of bytes.subarray(0, LONGEST_DECLARATION)) head += String.fromCharCode(byte)
  const found = declaredCharset(head)
  // Whatever could be read so far is not in UTF-16.
  return found?.startsWith('utf-16') ? null : found
}

const declaredCharset = (text: string): string | null =>
  /^<\?xml\s[^>]{0,150}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(text)?.[1]?.toLowerCase() ?? null

/** Returns the standard's name of a charset; null if nobody knows it. */
export function knownCharset(label: string): string | null {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** Returns the charset of a text body: by its mark, its content type, or its own words. */
export const charsetOfBody = (bytes: Uint8Array, contentType: string | null | undefined, isXml: boolean): string =>
  knownCharset(charsetOfMark(bytes) ?? charsetOf(contentType) ?? (isXml ? charsetOfXml(bytes) : null) ?? 'utf-8') ??
  'utf-8'

const MANY_BYTES = [
  'gbk',
  'gb18030',
  'big5',
  'euc-jp',
  'iso-2022-jp',
  'shift_jis',
  'euc-kr',
  'replacement',
  'x-user-defined',
]

/** Returns whether texts can be written in a charset. */
export function isWritable(label: string): boolean {
  const name = knownCharset(label)
  return name !== null && !MANY_BYTES.includes(name)
}

/**
 * Returns the bytes of a text in a charset; the text itself for UTF-8. `instead` gives what stands for a character that the
 * charset does not have; without it such a text throws FormatError.
 */
export function encodeText(
  text: string,
  label: string,
  instead?: (code: number) => string,
): Uint8Array<ArrayBuffer> | string {
  const name = knownCharset(label)
  if (name === 'utf-8') return text
  if (!isWritable(label)) throw new FormatError(`texts cannot be written in the charset ${label.slice(0, 40)}`)
  if (name === 'utf-16le' || name === 'utf-16be') return utf16(text, name, /^utf-16$/i.test(label))
  return singleBytes(text, label, instead)
}

function utf16(text: string, name: 'utf-16le' | 'utf-16be', marked: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(2 * (text.length + (marked ? 1 : 0))))
  const isLittle = name === 'utf-16le'
  if (marked) view.setUint16(0, 0xfeff, isLittle)
  for (let at = 0, to = marked ? 2 : 0; at < text.length; at++, to += 2)
    view.setUint16(to, text.charCodeAt(at), isLittle)
  return new Uint8Array(view.buffer)
}

const UNKNOWN = -1

function singleBytes(text: string, label: string, instead?: (code: number) => string): Uint8Array<ArrayBuffer> {
  const byteOf = bytesBy(label)
  let lacking = 0
  for (let at = 0; at < text.length; at++) if (byteOf[text.charCodeAt(at)] === UNKNOWN) lacking++
  if (lacking > 0 && !instead) throw new FormatError(`a character is not in the charset ${label.slice(0, 40)}`)
  // A reference to a character has at most ten units, for one or two units of the text.
  const bytes = new Uint8Array(text.length + 10 * lacking)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const byte = byteOf[text.charCodeAt(at)]!
    if (byte !== UNKNOWN) bytes[length++] = byte
    else {
      const code = text.codePointAt(at)!
      if (code > 0xffff) at++
      for (const character of instead!(code)) bytes[length++] = character.charCodeAt(0)
    }
  }
  return bytes.subarray(0, length)
}

const tables = new Map<string, Int16Array>()

/** Returns the byte of each unit. Other programs take the names of ASCII and Latin 1 more literally than the web does. */
function bytesBy(label: string): Int16Array {
  const literal = /^(us-)?ascii$/i.test(label) ? 128 : /^(iso[-_]?8859-?1|latin-?1|l1)$/i.test(label) ? 256 : 0
  const name = literal > 0 ? String(literal) : knownCharset(label)!
  let table = tables.get(name)
  if (!table) {
    table = new Int16Array(65_536).fill(UNKNOWN)
    const decoder = new TextDecoder(label)
    for (let byte = 0; byte < (literal || 256); byte++) {
      const unit = literal > 0 ? byte : decoder.decode(Uint8Array.of(byte)).charCodeAt(0)
      if (unit !== 0xfffd) table[unit] = byte
    }
    tables.set(name, table)
  }
  return table
}

/** Returns the bytes that a text body was, or would be, sent as. */
export function bytesAsSent(text: string, contentType: string | null): Uint8Array | string {
  const isXml = /^[^;]*xml\b/i.test(contentType ?? '')
  // JSON and forms are UTF-8, whatever their type says.
  const isUtf8 = /^[^;]*(json|urlencoded)\b/i.test(contentType ?? '')
  const charset = isUtf8 ? null : (charsetOf(contentType) ?? (isXml ? declaredCharset(text) : null))
  try {
    return charset === null ? text : encodeText(text, charset)
  } catch (error) {
    if (error instanceof FormatError) return text
    throw error
  }
}
