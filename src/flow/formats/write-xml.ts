// Writes JSON data as XML: the inverse of read-xml.ts. Every text is escaped and every name checked, so that no value adds an element.
import { FormatError } from './format-error.ts'
import { type Meter, UNMETERED } from './meter.ts'
import { ATTRIBUTE, TEXT } from './read-xml.ts'
import { rewritten } from './text-units.ts'
import { isXmlName, unfitForXml } from './xml-names.ts'

const DEEPEST = 200
/** The longest text that is written, whatever goes in. */
const LONGEST = 16 * 1024 * 1024

/** Returns the document without a declaration. Throws FormatError. */
export function writeXml(value: unknown, meter: Meter = UNMETERED): string {
  const root = rootOf(value)
  const writer = new XmlWriter(meter)
  writer.element(root.name, root.value, 1)
  return writer.text
}

function rootOf(value: unknown): { name: string; value: unknown } {
  const names = isRecord(value)
    ? Object.keys(value).filter((name) => (value as Record<string, unknown>)[name] !== undefined)
    : []
  if (names.length !== 1) throw new FormatError('XML is made of an object with one key, the name of the root element')
  const name = names[0]!
  const given = (value as Record<string, unknown>)[name]
  const [only, ...more] = Array.isArray(given) ? given : [given]
  if (more.length > 0 || only === undefined) throw new FormatError('the root element is there exactly once')
  return { name, value: only }
}

class XmlWriter {
  readonly #meter: Meter
  readonly #pieces: string[] = []
  #length = 0

  constructor(meter: Meter) {
    this.#meter = meter
  }

  get text(): string {
    return this.#pieces.join('')
  }

  element(name: string, value: unknown, depth: number): void {
    if (!isXmlName(name)) throw new FormatError(nameProblem(name))
    if (depth > DEEPEST) throw new FormatError(`XML is written at most ${DEEPEST} levels deep`)
    this.#put(`<${name}`)
    const isEmpty = isRecord(value) ? this.#content(value, depth) : this.#closeWith(scalar(value))
    this.#put(isEmpty ? '/>' : `</${name}>`)
  }

  /** Writes attributes and what is inside; returns whether nothing is. */
  #content(value: Record<string, unknown>, depth: number): boolean {
    const inside: string[] = []
    for (const key of Object.keys(value)) {
      if (!key.startsWith(ATTRIBUTE)) inside.push(key)
      else if (value[key] !== null && value[key] !== undefined) this.#attribute(key.slice(1), scalar(value[key]))
    }
    let isEmpty = true
    const begin = () => {
      if (isEmpty) this.#put('>')
      isEmpty = false
    }
    for (const key of inside) {
      const given = value[key]
      if (given === undefined) continue
      if (key === TEXT) {
        const text = scalar(given)
        if (text === '') continue
        begin()
        this.#put(escaped(text, /[&<>\r]/g, IN_TEXT))
        continue
      }
      for (const item of Array.isArray(given) ? given : [given]) {
        if (Array.isArray(item)) throw new FormatError('a list in a list cannot be written as XML')
        begin()
        this.element(key, item, depth + 1)
      }
    }
    return isEmpty
  }

  #closeWith(text: string): boolean {
    if (text === '') return true
    this.#put('>')
    this.#put(escaped(text, /[&<>\r]/g, IN_TEXT))
    return false
  }

  #attribute(name: string, text: string): void {
    if (!isXmlName(name)) throw new FormatError(nameProblem(name))
    this.#put(` ${name}="${escaped(text, /[&<>"\r\n\t]/g, IN_ATTRIBUTE)}"`)
  }

  #put(piece: string): void {
    this.#length += piece.length
    this.#meter.work(8 + (piece.length >> 2))
    this.#meter.grow(piece.length)
    if (this.#length > LONGEST) throw new FormatError('the XML would be longer than 16 MiB')
    this.#pieces.push(piece)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameProblem = (name: string): string =>
  name.startsWith('#')
    ? `a key that begins with # is not ${TEXT}`
    : 'a key is no name of an element or attribute; names have letters, digits, - . _ : and do not begin with a digit'

function scalar(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
      return String(value)
    case 'number':
      if (Number.isFinite(value)) return String(value)
      break
    default:
      if (value === null || value === undefined) return ''
  }
  throw new FormatError('an attribute or a text is a list, an object or no finite number')
}

const IN_TEXT = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }
/** A parser turns line breaks and tabs of attributes into spaces. */
const IN_ATTRIBUTE = { ...IN_TEXT, '"': '&quot;', '\n': '&#10;', '\t': '&#9;' }

function escaped(text: string, pattern: RegExp, by: Readonly<Record<string, string>>): string {
  if (unfitForXml(text) !== -1) throw new FormatError('a text holds a character that XML cannot hold, such as NUL')
  return rewritten(text, pattern, by)
}
