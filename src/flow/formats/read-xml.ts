// Reads XML into JSON data, once and from left to right, without recursion. A document type, with which entities could grow or name
// files, is refused. docs/xml-and-csv.md says what becomes of attributes, texts and repeated elements.
import { BareObject } from '../../base/bare-object.ts'
import type { JsonLimits } from '../json/json-limits.ts'
import { FormatError } from './format-error.ts'
import { type Meter, UNMETERED } from './meter.ts'
import { NextUnit } from './text-units.ts'
import { childNode, type ListNode, listTree } from './xml-lists.ts'
import { halfPair, isBlank, isXmlSpace, nameEnd, spaceEnd, trimmed, unfitUnit } from './xml-names.ts'
import { LONGEST_ENTITY, XmlTexts } from './xml-texts.ts'

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

/** So much is read between two looks at the clock. */
const PART = 16_384
/** The same, of what takes less. */
const EASY_PART = 16 * PART

/** Throws FormatError. */
export function readXml(text: string, reading: XmlReading = {}): Record<string, unknown> {
  const reader = new XmlReader(text, reading)
  while (!reader.isDone) reader.goOn()
  return reader.value
}

interface Open {
  name: string
  value: Record<string, unknown> | null
  text: string
  hasChildren: boolean
  lists: ListNode | null
}

const AMPERSAND = 0x26
const SLASH = 0x2f
const EQUALS = 0x3d
const GREATER = 0x3e
const CR = 0x0d

/** Twice of what a list element is charged, and some for the key. */
const VALUE_SIZE = 48
const VALUE_WORK = 10

export class XmlReader {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #meter: Meter
  readonly #names = new Map<string, string>()
  readonly #attributes = new Map<string, string>()
  readonly #open: Open[]
  #values = 0
  isDone = false
  /** How much was searched for characters that are not allowed. */
  #searched = 0
  #at = 0
  /** The tag whose attributes are read, and where it begins. */
  #tag: { open: Open; at: number } | null = null
  /** What is left of a long text that is rewritten; `key`: of an attribute of the tag. */
  #long: { at: number; end: number; isCdata: boolean; key: string | null } | null = null
  readonly #ampersands: NextUnit
  readonly #returns: NextUnit
  readonly #feeds: NextUnit
  readonly #tabs: NextUnit
  readonly #starts: NextUnit
  readonly #texts: XmlTexts

  constructor(text: string, { lists, limits = XML_LIMITS, meter = UNMETERED }: XmlReading) {
    this.#text = text
    this.#limits = limits
    this.#meter = meter
    this.#ampersands = new NextUnit(text, '&')
    this.#returns = new NextUnit(text, '\r')
    this.#feeds = new NextUnit(text, '\n')
    this.#tabs = new NextUnit(text, '\t')
    this.#starts = new NextUnit(text, '<')
    this.#texts = new XmlTexts(text, this.#returns, (at) => this.#count(at))
    this.#open = [{ name: '', value: null, text: '', hasChildren: false, lists: listTree(lists) }]
  }

  get value(): Record<string, unknown> {
    return this.#open[0]!.value!
  }

  /** Reads on for about one part. */
  goOn(): void {
    const text = this.#text
    if (this.#searched < text.length) this.#search()
    else if (this.#long) this.#addPiece()
    else if (this.#at < text.length || this.#tag) this.#readPart()
    else this.#end()
  }

  #search(): void {
    const from = this.#searched
    this.#searched = Math.min(from + EASY_PART, this.#text.length)
    const isWhole = this.#searched === this.#text.length
    const unfit = unfitUnit(this.#text, from, this.#searched)
    const place = unfit === -1 && isWhole ? halfPair(this.#text) : unfit
    if (place !== -1) this.#fail('a character is not allowed in XML', place)
    if (!isWhole) return
    this.#meter.work(1 + (this.#text.length >> 4))
    this.#at = this.#afterDeclaration()
  }

  #readPart(): void {
    const text = this.#text
    const stop = Math.min(this.#at + PART, text.length)
    if (this.#tag) this.#at = this.#readTag(this.#tag, this.#at)
    while (this.#at < stop && !this.#long) {
      const next = text.indexOf('<', this.#at)
      const end = next === -1 ? text.length : next
      if (end > this.#at) this.#addText(this.#at, end)
      this.#at = end
      if (next !== -1 && !this.#long) this.#at = this.#markup(next)
    }
  }

  #end(): void {
    const [document, unclosed] = this.#open
    if (unclosed) this.#fail('the text ends before the element is closed', this.#text.length)
    if (!document!.value) this.#fail('there is no element', this.#text.length)
    this.isDone = true
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
      this.#addUnits(at + 9, after - 3, isPlain, true)
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
    const end = nameEnd(text, at + 1)
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
    this.#tag = { open, at }
    return this.#readTag(this.#tag, end)
  }

  /** Reads attributes up to the end of the tag, or to a long one. */
  #readTag({ open, at }: { open: Open; at: number }, start: number): number {
    const text = this.#text
    for (let end = start; ; ) {
      const from = spaceEnd(text, end)
      const unit = text.charCodeAt(from)
      if (unit === GREATER) {
        if (this.#open.length > this.#limits.depth)
          this.#fail(`it is nested more than ${shown(this.#limits.depth)} levels deep`, at)
        this.#open.push(open)
        this.#tag = null
        return from + 1
      }
      if (unit === SLASH && text.charCodeAt(from + 1) === GREATER) {
        this.#close(open)
        this.#tag = null
        return from + 2
      }
      if (from >= text.length) this.#fail('a tag is not closed', at)
      if (from === end) this.#fail('a tag holds something that is no attribute', from)
      end = this.#attribute(open, from)
      if (this.#long) return end
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
    open.value[key] = this.#attributeValue(key, start + 1, last)
    return last + 1
  }

  /** Returns the beginning of a long one, which is rewritten by and by. */
  #attributeValue(key: string, start: number, end: number): string {
    const less = this.#starts.from(start)
    if (less < end) this.#fail('the value of an attribute holds a <', less)
    this.#meter.grow(end - start)
    this.#meter.work((end - start) >> 4)
    const isPlain =
      this.#ampersands.from(start) >= end &&
      this.#feeds.from(start) >= end &&
      this.#returns.from(start) >= end &&
      this.#tabs.from(start) >= end
    if (isPlain) return this.#text.slice(start, end)
    if (end - start <= PART) return this.#texts.decoded(start, end, true)
    this.#long = { at: start, end, isCdata: false, key }
    return ''
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
    this.#addUnits(start, end, isPlain, false)
  }

  #addUnits(start: number, end: number, isPlain: boolean, isCdata: boolean): void {
    if (isPlain) this.#append(this.#text.slice(start, end))
    else {
      this.#long = { at: start, end, isCdata, key: null }
      if (end - start <= PART) this.#addPiece()
    }
  }

  /** Rewrites what is left, or a part of it. */
  #addPiece(): void {
    const { at, end, isCdata, key } = this.#long!
    const to = end - at <= PART ? end : this.#pieceEnd(at + PART)
    const piece = isCdata ? this.#texts.withLineFeeds(at, to) : this.#texts.decoded(at, to, key !== null)
    if (key === null) this.#append(piece)
    else this.#addToAttribute(this.#tag!.open.value!, key, piece)
    this.#long = to === end ? null : { at: to, end, isCdata, key }
  }

  #addToAttribute(value: Record<string, unknown>, key: string, piece: string): void {
    value[key] = (value[key] as string) + piece
  }

  /** Returns a place up to here that is within no entity, pair of surrogates or line end. */
  #pieceEnd(end: number): number {
    for (let at = end - 1; at > end - LONGEST_ENTITY; at--) if (this.#text.charCodeAt(at) === AMPERSAND) return at
    const last = this.#text.charCodeAt(end - 1)
    return last === CR || (last >= 0xd800 && last <= 0xdbff) ? end - 1 : end
  }

  #append(piece: string): void {
    const open = this.#open.at(-1)!
    this.#meter.grow(piece.length)
    open.text = open.text === '' ? piece : open.text + piece
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
