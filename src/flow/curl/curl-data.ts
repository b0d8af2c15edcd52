// Reads what -d, --data-urlencode and --json carry: text as curl would send it, fields, or JSON.
import { formDecoded } from '../form-pairs.ts'
import { parseJson } from '../json/parse-json.ts'
import type { HttpBody, NameValue } from './http-settings.ts'

export interface DataPart {
  text: string
  /** Whether curl sends the text as it is, encodes it, or sends it as JSON. */
  as: 'raw' | 'urlencode' | 'json'
  /** The option that names a file, whose content is unknown. */
  file?: string
}

/** Splits at the first such sign outside of templates. */
export function splitAt(text: string, sign: string): [string, string | undefined] {
  let at = text.indexOf(sign)
  for (let open = text.indexOf('{{'); open !== -1 && open < at; open = text.indexOf('{{', open + 2)) {
    const close = text.indexOf('}}', open)
    if (close > at) at = text.indexOf(sign, close)
  }
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** Returns the text as curl would send it; templates stay, because their values are encoded when they are filled in. */
export function dataText({ text, as }: DataPart): string {
  if (as !== 'urlencode') return text
  const [name, value] = splitAt(text, '=')
  const encoded = (part: string) => (part.includes('{{') ? part : encodeURIComponent(part))
  if (value === undefined) return encoded(name)
  return name === '' ? encoded(value) : `${name}=${encoded(value)}`
}

/** Returns the fields of a form if writing them again gives the same text; otherwise null. */
export function pairsOf(part: DataPart): NameValue[] | null {
  if (part.as === 'urlencode') {
    const [name, value] = splitAt(part.text, '=')
    return value === undefined || name === '' ? null : [{ name: decoded(name) ?? name, value }]
  }
  const pairs: NameValue[] = []
  for (const pair of part.text.split('&')) {
    const [name, value] = splitAt(pair, '=')
    const field = { name: decoded(name), value: decoded(value ?? '') }
    if (value === undefined || name === '' || field.name === null || field.value === null) return null
    pairs.push({ name: field.name, value: field.value })
  }
  return pairs
}

/** Returns null if the text is not percent-encoding. A template stays as it is. */
function decoded(text: string): string | null {
  if (text.includes('{{')) return text
  if (BROKEN_ESCAPE.test(text)) return null
  const plain = formDecoded(text)
  // U+FFFD stands for bytes that are not UTF-8.
  return plain.includes('\ufffd') && !text.includes('\ufffd') && !/%ef%bf%bd/i.test(text) ? null : plain
}

const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i

export const queryPairs = (part: DataPart): NameValue[] =>
  pairsOf(part) ??
  part.text.split('&').map((pair) => {
    const [name, value] = splitAt(pair, '=')
    return { name: decoded(name) ?? name, value: decoded(value ?? '') ?? value ?? '' }
  })

// A number with more digits would change its value.
const LONG_NUMBER = /\d{16,}|\d\.\d{15,}/

export function jsonValue(text: string): { value: unknown } | null {
  try {
    const value = parseJson(text)
    const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    return LONG_NUMBER.test(outside) ? null : { value }
  } catch {
    return null
  }
}

/** Returns the text as JSON, or as text if JSON cannot hold it without loss. */
export function jsonOrText(text: string, contentType: string | null): HttpBody {
  const parsed = jsonValue(text)
  if (parsed) return { kind: 'json', value: parsed.value }
  return { kind: 'text', value: text, ...(contentType ? { contentType } : {}) }
}

/** Returns whether the part is more than the name of a file. */
export const isHere = ({ text, file }: DataPart): boolean => file === undefined || text !== ''

export function dataOrFile(value: string, as: DataPart['as'], written: string): DataPart {
  return value.startsWith('@') ? { text: '', as, file: `${written} ${value}` } : { text: value, as }
}
