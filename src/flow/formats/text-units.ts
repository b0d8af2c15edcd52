// Builds a text unit by unit, in linear time whatever comes: millions of joined pieces would take an engine seconds to put together.
import { FormatError } from './format-error.ts'

/** A shorter text is joined from its pieces. */
const SHORT = 512
const MOST_REWRITTEN = 1_000_000

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })

export class TextUnits {
  readonly #units: Uint16Array | null
  #length = 0
  #text = ''

  /** Takes at most `most` units. */
  constructor(most: number) {
    this.#units = most <= SHORT ? null : new Uint16Array(most)
  }

  slice(text: string, start: number, end: number): void {
    if (!this.#units) {
      if (end > start) this.#text += text.slice(start, end)
    } else for (let at = start; at < end; at++) this.#units[this.#length++] = text.charCodeAt(at)
  }

  codePoint(code: number): void {
    if (!this.#units) this.#text += String.fromCodePoint(code)
    else if (code <= 0xffff) this.#units[this.#length++] = code
    else {
      this.#units[this.#length++] = 0xd800 + ((code - 0x10000) >> 10)
      this.#units[this.#length++] = 0xdc00 + ((code - 0x10000) & 0x3ff)
    }
  }

  toString(): string {
    return this.#units ? decoder.decode(this.#units.subarray(0, this.#length)) : this.#text
  }
}

/** Returns the text with others in place of some of its units. The pattern matches these and is global. */
export function rewritten(text: string, pattern: RegExp, by: Readonly<Record<string, string>>): string {
  if (text.length <= SHORT) return text.replace(pattern, (unit) => by[unit]!)
  if (text.search(pattern) === -1) return text
  const table: (string | undefined)[] = []
  for (const unit of Object.keys(by)) table[unit.charCodeAt(0)] = by[unit]
  let more = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const instead = table[text.charCodeAt(at)]
    if (instead === undefined) continue
    more += instead.length - 1
    if (++count > MOST_REWRITTEN)
      throw new FormatError(`a text has more than ${MOST_REWRITTEN.toLocaleString('en')} characters that are escaped`)
  }
  const units = new TextUnits(text.length + more)
  let plain = 0
  for (let at = 0; at < text.length; at++) {
    const instead = table[text.charCodeAt(at)]
    if (instead === undefined) continue
    units.slice(text, plain, at)
    units.slice(instead, 0, instead.length)
    plain = at + 1
  }
  units.slice(text, plain, text.length)
  return units.toString()
}

/** Finds the next place of a unit. Places are asked for in ascending order, so that the text is searched once. */
export class NextUnit {
  readonly #text: string
  readonly #unit: string
  #at = -1

  constructor(text: string, unit: string) {
    this.#text = text
    this.#unit = unit
  }

  /** Returns the length of the text if there is none. */
  from(place: number): number {
    if (this.#at >= place) return this.#at
    const at = this.#text.indexOf(this.#unit, place)
    this.#at = at === -1 ? this.#text.length : at
    return this.#at
  }
}
