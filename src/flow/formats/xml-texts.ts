// Reads the texts and attributes of XML whose entities and line ends are rewritten.
import { FormatError } from './format-error.ts'
import { type NextUnit, TextUnits } from './text-units.ts'
import { isXmlCharacter } from './xml-names.ts'

const AMPERSAND = 0x26
const HASH = 0x23
const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20

const SPECIALS_PER_VALUE = 4

const ENTITIES = [
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['amp', 0x26],
  ['quot', 0x22],
  ['apos', 0x27],
] as const
export const LONGEST_ENTITY = 12

export class XmlTexts {
  readonly #text: string
  readonly #returns: NextUnit
  readonly #count: (at: number) => void
  #specials = 0

  /** `count` is told of each value. */
  constructor(text: string, returns: NextUnit, count: (at: number) => void) {
    this.#text = text
    this.#returns = returns
    this.#count = count
  }

  /** Reads entities and line ends: in attributes all white space becomes spaces. */
  decoded(start: number, end: number, isAttribute: boolean): string {
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

  withLineFeeds(start: number, end: number): string {
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

  /** Counts an entity or a line end that is rewritten, several of which take as long as one value. */
  #countSpecial(at: number): void {
    if (++this.#specials % SPECIALS_PER_VALUE === 0) this.#count(at)
  }

  #fail(problem: string, at: number): never {
    throw new FormatError(problem, this.#text, at)
  }
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
