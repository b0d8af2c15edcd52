// Reads XML into JSON data, once and from left to right, without recursion. A document type, with which entities could grow or name
// files, is refused. docs/xml-and-csv.md says what becomes of attributes, texts and repeated elements.
import { BareObject } from '../../base/bare-object.ts'
import type { JsonLimits } from '../json/json-limits.ts'
import { FormatError } from './format-error.ts'
import { type Meter, UNMETERED } from './meter.ts'
import { NextUnit, TextUnits } from './text-units.ts'
import { childNode, type ListNode, listTree } from './xml-lists.ts'
import { isXmlCharacter, isXmlSpace, nameEnd, spaceEnd, unfitForXml } from './xml-names.ts'

export const ATTRIBUTE = '@'
export const TEXT = '#text'

/** The limits for XML from outside: an element takes longer than a value of JSON. */
export const XML_LIMITS: JsonLimits = { depth: 200, values: 100_000, names: 5_000 }

export interface XmlReading {
  /** The elements that are lists however often they come, such as `order.item`. */
  lists?: readonly string[] | undefined
  limits?: JsonLimits
  meter?: Meter
}

/** Throws FormatError. */
export const readXml = (text: string, reading: XmlReading = {}): Record<string, unknown> =>
  new XmlReader(text, reading).read()

interface Open {
  name: string
  value: Record<string, unknown> | null
  text: string
  hasChildren: boolean
  lists: ListNode | null
}

const AMPERSAND = 0x26
const HASH = 0x23
const SLASH = 0x2f
const EQUALS = 0x3d
const GREATER = 0x3e
const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20

/** Twice of what a list element is charged, and some for the key. */
const VALUE_SIZE = 48
const VALUE_WORK = 10
const SPECIALS_PER_VALUE = 4

const ENTITIES = [
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['amp', 0x26],
  ['quot', 0x22],
  ['apos', 0x27],
] as const
const LONGEST_ENTITY = 12

class XmlReader {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #meter: Meter
  readonly #names = new Map<string, string>()
  readonly #attributes = new Map<string, string>()
  readonly #open: Open[]
  #values = 0
  #specials = 0
  readonly #ampersands: NextUnit
  readonly #returns: NextUnit
  readonly #feeds: NextUnit
  readonly #tabs: NextUnit
  readonly #starts: NextUnit

  constructor(text: string, { lists, limits = XML_LIMITS, meter = UNMETERED }: XmlReading) {
    this.#text = text
    this.#limits = limits
    this.#meter = meter
    this.#ampersands = new NextUnit(text, '&')
    this.#returns = new NextUnit(text, '\r')
    this.#feeds = new NextUnit(text, '\n')
    this.#tabs = new NextUnit(text, '\t')
    this.#starts = new NextUnit(text, '<')
    this.#open = [{ name: '', value: null, text: '', hasChildren: false, lists: listTree(lists) }]
  }

  read(): Record<string, unknown> {
    const text = this.#text
    this.#meter.work(1 + (text.length >> 4))
    const unfit = unfitForXml(text)
    if (unfit !== -1) this.#fail('a character is not allowed in XML', unfit)
    for (let at = this.#afterDeclaration(); at < text.length; ) {
      const next = text.indexOf('<', at)
      const end = next === -1 ? text.length : next
      if (end > at) this.#addText(at, end)
      at = next === -1 ? end : this.#markup(next)
    }
    const [document, unclosed] = this.#open
    if (unclosed) this.#fail('the text ends before the element is closed', text.length)
    if (!document!.value) this.#fail('there is no element', text.length)
    return document!.value
  }

  #afterDeclaration(): number {
    const start = this.#text.charCodeAt(0) === 0xfeff ? 1 : 0
    if (!this.#text.startsWith('<?xml', start) || !isXmlSpace(this.#text.charCodeAt(start + 5))) return start
    return this.#after('?>', start, 'the XML declaration')
  }

  #markup(at: number): number {
    switch (this.#text[at + 1]) {
      case '/':
        return this.#endTag(at)
      case '?':
        return this.#instruction(at)
      case '!':
        return this.#declaration(at)
      default:
        return this.#startTag(at)
    }
  }

  #instruction(at: number): number {
    const end = nameEnd(this.#text, at + 2)
    if (end === at + 2) this.#fail('a processing instruction has no name', at)
    if (this.#text.slice(at + 2, Math.min(end, at + 6)).toLowerCase() === 'xml' && end === at + 5)
      this.#fail('an XML declaration is allowed at the very beginning only', at)
    this.#count(at)
    return this.#after('?>', at, 'a processing instruction')
  }

  #declaration(at: number): number {
    const text = this.#text
    this.#count(at)
    if (text.startsWith('<!--', at)) return this.#after('-->', at + 4, 'a comment')
    if (text.startsWith('<![CDATA[', at)) {
      if (this.#open.length === 1) this.#fail('text stands outside of the root element', at)
      const after = this.#after(']]>', at + 9, 'a CDATA section')
      const isPlain = this.#returns.from(at) >= after
      this.#append(isPlain ? text.slice(at + 9, after - 3) : this.#withLineFeeds(at + 9, after - 3))
      return after
    }
    if (text.startsWith('<!DOCTYPE', at))
      this.#fail('a document type (DOCTYPE) and entities of its own are not read', at)
    return this.#fail('a tag has no name', at)
  }

  #after(end: string, from: number, what: string): number {
    const at = this.#text.indexOf(end, from)
    if (at === -1) this.#fail(`${what} is not closed`, from)
    return at + end.length
  }

  #startTag(at: number): number {
    const text = this.#text
    let end = nameEnd(text, at + 1)
    if (end === at + 1) this.#fail('a tag has no name', at)
    const name = this.#known(this.#names, text.slice(at + 1, end), at)
    const parent = this.#open.at(-1)!
    if (this.#open.length === 1 && parent.value) this.#fail('there is more than one root element', at)
    this.#count(at)
    if (!parent.hasChildren) {
      parent.hasChildren = true
      if (isBlank(parent.text)) parent.text = ''
    }
    const open: Open = { name, value: null, text: '', hasChildren: false, lists: childNode(parent.lists, name) }
    for (;;) {
      const from = spaceEnd(text, end)
      const unit = text.charCodeAt(from)
      if (unit === GREATER) {
        if (this.#open.length > this.#limits.depth)
          this.#fail(`it is nested more than ${shown(this.#limits.depth)} levels deep`, at)
        this.#open.push(open)
        return from + 1
      }
      if (unit === SLASH && text.charCodeAt(from + 1) === GREATER) {
        this.#close(open)
        return from + 2
      }
      if (from >= text.length) this.#fail('a tag is not closed', at)
      if (from === end) this.#fail('a tag holds something that is no attribute', from)
      end = this.#attribute(open, from)
    }
  }

  #attribute(open: Open, at: number): number {
    const text = this.#text
    const end = nameEnd(text, at)
    if (end === at) this.#fail('a tag holds something that is no attribute', at)
    const key = this.#known(this.#attributes, text.slice(at, end), at)
    this.#count(at)
    const equals = spaceEnd(text, end)
    if (text.charCodeAt(equals) !== EQUALS) this.#fail('an attribute has no value', at)
    const start = spaceEnd(text, equals + 1)
    const quote = text[start]
    if (quote !== '"' && quote !== "'") this.#fail('the value of an attribute is not in quotes', at)
    const last = text.indexOf(quote, start + 1)
    if (last === -1) this.#fail('the value of an attribute is not closed', start)
    open.value ??= new BareObject()
    if (open.value[key] !== undefined) this.#fail('an attribute stands twice in a tag', at)
    open.value[key] = this.#attributeValue(start + 1, last)
    return last + 1
  }

  #attributeValue(start: number, end: number): string {
    const less = this.#starts.from(start)
    if (less < end) this.#fail('the value of an attribute holds a <', less)
    this.#meter.grow(end - start)
    this.#meter.work((end - start) >> 4)
    const isPlain =
      this.#ampersands.from(start) >= end &&
      this.#feeds.from(start) >= end &&
      this.#returns.from(start) >= end &&
      this.#tabs.from(start) >= end
    return isPlain ? this.#text.slice(start, end) : this.#decoded(start, end, true)
  }

  #endTag(at: number): number {
    const open = this.#open.at(-1)!
    const end = at + 2 + open.name.length
    if (this.#open.length === 1) this.#fail('an end tag has no start tag', at)
    if (!this.#text.startsWith(open.name, at + 2) || nameEnd(this.#text, at + 2) !== end)
      this.#fail('an end tag does not match its start tag', at)
    const closed = spaceEnd(this.#text, end)
    if (this.#text.charCodeAt(closed) !== GREATER) this.#fail('a tag is not closed', at)
    this.#open.pop()
    this.#close(open)
    return closed + 1
  }

  /** Gives what was read to the element around it. */
  #close(open: Open): void {
    const { name, lists } = open
    if (lists) this.#addEmptyLists(open, lists)
    const result = elementValue(open)
    const parent = this.#open.at(-1)!
    parent.value ??= new BareObject()
    const before = parent.value[name]
    if (before === undefined) parent.value[name] = lists?.isList ? [result] : result
    else if (Array.isArray(before)) before.push(result)
    else parent.value[name] = [before, result]
  }

  /** A list that has no element is empty, not missing. */
  #addEmptyLists(open: Open, { children }: ListNode): void {
    for (const [name, { isList }] of children) {
      if (!isList || open.value?.[name] !== undefined) continue
      this.#count(0)
      open.value ??= new BareObject()
      open.value[name] = []
    }
  }

  #addText(start: number, end: number): void {
    const text = this.#text
    const open = this.#open.at(-1)!
    if (this.#open.length === 1 || open.hasChildren) {
      const at = spaceEnd(text, start)
      if (at >= end) return
      if (this.#open.length === 1) this.#fail('text stands outside of the root element', at)
    }
    const isPlain = this.#ampersands.from(start) >= end && this.#returns.from(start) >= end
    this.#append(isPlain ? text.slice(start, end) : this.#decoded(start, end, false))
  }

  #append(piece: string): void {
    const open = this.#open.at(-1)!
    this.#meter.grow(piece.length)
    open.text = open.text === '' ? piece : open.text + piece
  }

  /** Reads entities and line ends: in attributes all white space becomes spaces. */
  #decoded(start: number, end: number, isAttribute: boolean): string {
    const text = this.#text
    const units = new TextUnits(end - start)
    let plain = start
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at)
      if (unit >= SPACE && unit !== AMPERSAND) continue
      units.slice(text, plain, at)
      this.#countSpecial(at)
      if (unit === AMPERSAND) {
        const semicolon = this.#entityEnd(at, end)
        units.codePoint(this.#entity(at + 1, semicolon))
        at = semicolon
      } else if (unit !== CR || text.charCodeAt(at + 1) !== LF)
        units.codePoint(isAttribute ? SPACE : unit === CR ? LF : unit)
      plain = at + 1
    }
    units.slice(text, plain, end)
    return units.toString()
  }

  #withLineFeeds(start: number, end: number): string {
    const text = this.#text
    const units = new TextUnits(end - start)
    let plain = start
    for (let at = this.#returns.from(start); at < end; at = this.#returns.from(at + 1)) {
      units.slice(text, plain, at)
      this.#countSpecial(at)
      if (text.charCodeAt(at + 1) !== LF) units.codePoint(LF)
      plain = at + 1
    }
    units.slice(text, plain, end)
    return units.toString()
  }

  #entityEnd(at: number, end: number): number {
    const last = Math.min(end, at + LONGEST_ENTITY)
    for (let i = at + 1; i < last; i++) if (this.#text.charCodeAt(i) === 0x3b) return i
    return this.#fail('an & begins no entity; write &amp;', at)
  }

  #entity(start: number, end: number): number {
    const code =
      this.#text.charCodeAt(start) === HASH
        ? characterCode(this.#text, start + 1, end)
        : namedEntity(this.#text, start, end)
    if (code === -1)
      this.#fail('an entity is not known; there are lt, gt, amp, apos, quot and those with numbers', start - 1)
    if (!isXmlCharacter(code)) this.#fail('a character is not allowed in XML', start - 1)
    return code
  }

  /** Returns the key for a name: each text is made a key once. */
  #known(names: Map<string, string>, name: string, at: number): string {
    const known = names.get(name)
    if (known !== undefined) return known
    if (this.#names.size + this.#attributes.size >= this.#limits.names)
      this.#fail(`it has more than ${shown(this.#limits.names)} different names`, at)
    this.#meter.work(40)
    const key = names === this.#attributes ? `${ATTRIBUTE}${name}` : name
    names.set(name, key)
    return key
  }

  #count(at: number): void {
    this.#meter.work(VALUE_WORK)
    this.#meter.grow(VALUE_SIZE)
    if (++this.#values > this.#limits.values)
      this.#fail(
        `it is made of more than ${shown(this.#limits.values)} elements, attributes, comments and entities`,
        at,
      )
  }

  /** Counts an entity or a line end that is rewritten, several of which take as long as one value. */
  #countSpecial(at: number): void {
    if (++this.#specials % SPECIALS_PER_VALUE === 0) this.#count(at)
  }

  #fail(problem: string, at: number): never {
    throw new FormatError(problem, this.#text, at)
  }
}

const shown = (count: number): string => count.toLocaleString('en')

/** An element with nothing but text is that text. */
function elementValue({ value, text, hasChildren }: Open): unknown {
  if (value === null) return text
  const beside = hasChildren ? trimmed(text) : text
  if (beside !== '') value[TEXT] = beside
  return value
}

const isBlank = (text: string): boolean => text === '' || spaceEnd(text, 0) === text.length

function trimmed(text: string): string {
  const start = spaceEnd(text, 0)
  let end = text.length
  while (end > start && isXmlSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Returns -1 for what is no entity. */
function namedEntity(text: string, start: number, end: number): number {
  for (const [name, code] of ENTITIES) if (name.length === end - start && text.startsWith(name, start)) return code
  return -1
}

function characterCode(text: string, start: number, end: number): number {
  const isHex = text.charCodeAt(start) === 0x78
  const base = isHex ? 16 : 10
  let code = start + (isHex ? 1 : 0) < end ? 0 : -1
  for (let at = start + (isHex ? 1 : 0); at < end && code !== -1; at++) {
    const digit = digitOf(text.charCodeAt(at))
    code = digit < base ? code * base + digit : -1
  }
  return code
}

function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = unit | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 99
}
