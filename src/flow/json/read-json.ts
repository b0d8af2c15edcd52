// JSON.parse for large texts, in several turns of the event loop: it reads parts of the text natively, and puts together what is larger
// than a part. So what a text costs at once does not depend on its size.

import { LoopTurns } from '../../base/waiting.ts'
import { type JsonLimits, jsonProblem, lastPlain, measureInTurns, someInfinite } from './json-limits.ts'
import { parseJson } from './parse-json.ts'

/** Texts up to this length are read at once. */
export const LARGE_JSON = 65_536
/** So much is read between two looks at the clock. What is longer is put together from its parts, each less than three times as long. */
const PART = 32_768
/** A longer string is put together too. */
const LONG_STRING = 262_144
/** In a longer run without quotes and escapes, the next one is searched for natively. */
const LONG_RUN = 32
/** The longest escape is `\u` with four digits. */
const LONGEST_ESCAPE = 6

/** An object or list that is put together; the outermost has the whole text as its only item. */
interface Frame {
  /** null: a list. */
  object: Record<string, unknown> | null
  list: unknown[]
  /** The name that it gets in the frame around it; null in a list. */
  name: string | null
  /** Whether a part was just put in, so that only a comma or the end may follow. */
  isAfterPart: boolean
  /** Whether there was a comma, so that the end may not follow at once. */
  isAfterComma: boolean
}

/** Reads a large text within limits; throws SyntaxError. `isInfinite`: it holds a number that is beyond any double. */
export async function readWithin(
  text: string,
  limits: JsonLimits,
): Promise<{ value: unknown; isInfinite: boolean } | { problem: string }> {
  const turns = new LoopTurns()
  const measured = await measureInTurns(text, limits, turns)
  const problem = jsonProblem(measured, limits)
  if (problem) return { problem }
  let isInfinite = false
  const value = await readJson(text, turns, (part) => {
    isInfinite ||= measured.mayOverflow && someInfinite(part)
  })
  return { value, isInfinite }
}

/** Throws SyntaxError like JSON.parse, with another text; `see` is given each part that was read. */
export async function readJson(
  text: string,
  turns = new LoopTurns(),
  see: (part: unknown) => void = () => {},
): Promise<unknown> {
  const reading = new Reading(text, see)
  while (!reading.isDone) {
    if (turns.isOver) await turns.next()
    reading.goOn()
  }
  return reading.value
}

class Reading {
  isDone = false
  readonly #text: string
  readonly #see: (part: unknown) => void
  readonly #frames: Frame[] = [newFrame(false, null)]
  /** Where the objects and lists begin that are open within the innermost frame, and the last comma between items of each. */
  readonly #open: number[] = []
  readonly #commas: number[] = []
  #at = 0
  /** Where the items begin that have not been read. */
  #from = 0
  /** The last comma between two of them; -1: none. */
  #comma = -1
  /** Where the string begins that `at` is in; -1: none. */
  #string = -1
  /** The last backslash in it that begins an escape. */
  #escape = -1
  readonly #next = { backslash: -1, quote: -1 }
  /** Where the last long string begins that is a name. */
  #longName = -1
  /** What has been read of a long string. */
  #long: { name: string | null; pieces: string[] } | null = null

  constructor(text: string, see: (part: unknown) => void) {
    this.#text = text
    this.#see = see
  }

  get value(): unknown {
    return this.#frames[0]!.list[0]
  }

  /** Reads on for about one part. */
  goOn(): void {
    const text = this.#text
    const stop = Math.min(this.#at + PART, text.length)
    while (this.#at < stop) {
      if (this.#string === -1) this.#passUntilString(stop)
      else this.#passString(stop)
    }
    while (this.#open.length > 0 && this.#at - this.#open[0]! > PART) this.#enter()
    if (this.#string !== -1 && this.#at - this.#string > LONG_STRING) this.#readPiece()
    if (this.#at < text.length) return
    if (this.#frames.length > 1 || this.#open.length > 0 || this.#string !== -1) throw fault(text.length)
    this.#readItems(text.length, true)
    if (this.#frames[0]!.list.length !== 1) throw fault(text.length)
    this.isDone = true
  }

  #passUntilString(stop: number): void {
    const text = this.#text
    const open = this.#open
    for (let at = this.#at; at < stop; at++) {
      const unit = text.charCodeAt(at)
      this.#at = at + 1
      if (unit === 0x22) {
        this.#string = at
        this.#escape = -1
        return
      }
      if (unit === 0x7b || unit === 0x5b) {
        open.push(at)
        this.#commas.push(-1)
      } else if (unit === 0x7d || unit === 0x5d) {
        this.#commas.pop()
        if (open.pop() === undefined) this.#close(at)
      } else if (unit === 0x2c) {
        if (open.length === 0) this.#passComma(at)
        else this.#commas[open.length - 1] = at
      }
    }
  }

  #passString(stop: number): void {
    const text = this.#text
    let run = 0
    for (let at = this.#at; at < stop; at++) {
      const unit = text.charCodeAt(at)
      if (unit === 0x22) {
        this.#at = at + 1
        if (this.#long) this.#endLong(at)
        this.#string = -1
        return
      }
      if (unit === 0x5c) {
        this.#escape = at++
        run = 0
      } else if (++run === LONG_RUN) at = Math.min(lastPlain(text, at, this.#next), stop - 1)
      this.#at = at + 1
    }
  }

  /** Reads what has been passed of a long string, unless it is a name. */
  #readPiece(): void {
    if (this.#string === this.#longName) return
    if (!this.#long) {
      const before = this.#text.slice(Math.max(this.#comma + 1, this.#from), this.#string)
      if (this.#frame.object && isBlank(before)) {
        this.#longName = this.#string
        return
      }
      this.#long = { name: this.#readBefore(this.#string), pieces: [] }
      this.#from = this.#string + 1
    }
    // No piece ends within an escape.
    const end = this.#escape + LONGEST_ESCAPE > this.#at ? this.#escape : this.#at
    this.#long.pieces.push(this.#pieceTo(end))
    this.#from = end
  }

  #endLong(end: number): void {
    const { name, pieces } = this.#long!
    pieces.push(this.#pieceTo(end))
    this.#long = null
    const value = pieces.join('')
    this.#see(value)
    this.#put(name, value)
    this.#from = end + 1
  }

  #pieceTo(end: number): string {
    return this.#parse(`"${this.#text.slice(this.#from, end)}"`) as string
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!
  }

  #passComma(at: number): void {
    const frame = this.#frame
    if (!frame.isAfterPart && at - this.#from <= PART) {
      this.#comma = at
      return
    }
    this.#readItems(at)
    frame.isAfterPart = false
    frame.isAfterComma = true
    this.#from = at + 1
  }

  /** Makes a frame of the outermost object or list that is open. */
  #enter(): void {
    const start = this.#open.shift()!
    const name = this.#readBefore(start)
    this.#frames.push(newFrame(this.#text.charCodeAt(start) === 0x7b, name))
    this.#from = start + 1
    this.#comma = this.#commas.shift()!
  }

  /** Ends the innermost frame. */
  #close(at: number): void {
    const frame = this.#frame
    const isObject = this.#text.charCodeAt(at) === 0x7d
    if (this.#frames.length === 1 || isObject !== (frame.object !== null)) throw fault(at)
    this.#readItems(at, true)
    this.#frames.pop()
    this.#put(frame.name, frame.object ?? frame.list)
    this.#from = at + 1
  }

  /** Reads the items before the one that begins at `start`; returns the name of that one. */
  #readBefore(start: number): string | null {
    const frame = this.#frame
    if (frame.isAfterPart) throw fault(start)
    const comma = this.#comma
    if (comma !== -1) {
      this.#readItems(comma)
      frame.isAfterComma = true
      this.#from = comma + 1
    }
    const before = this.#text.slice(this.#from, start)
    if (!frame.object) {
      if (!isBlank(before)) throw fault(start)
      return null
    }
    const named = this.#parse(`{${before}0}`)
    const [name] = Object.keys(named as object)
    if (name === undefined) throw fault(start)
    return name
  }

  /** Reads the items up to the comma at `end`, or to the end of the frame if `isEnd`, before which there may be none. */
  #readItems(end: number, isEnd = false): void {
    const frame = this.#frame
    this.#comma = -1
    const items = this.#text.slice(this.#from, end)
    if (isBlank(items)) {
      if (frame.isAfterPart || (isEnd && !frame.isAfterComma)) return
      throw fault(end)
    }
    if (frame.isAfterPart) throw fault(this.#from)
    if (frame.object) {
      const part = this.#parse(`{${items}}`) as Record<string, unknown>
      this.#see(part)
      for (const name of Object.keys(part)) set(frame.object, name, part[name])
      return
    }
    const part = this.#parse(`[${items}]`) as unknown[]
    this.#see(part)
    for (const item of part) frame.list.push(item)
  }

  /** Reads a text that has one character before those from `from` on. */
  #parse(text: string): unknown {
    try {
      return parseJson(text)
    } catch (error) {
      const position = /at position (\d+)/.exec((error as Error).message)
      // V8 says where for some faults only.
      throw position ? fault(this.#from + Number(position[1]) - 1) : new SyntaxError('Fault in JSON')
    }
  }

  #put(name: string | null, value: unknown): void {
    const frame = this.#frame
    if (frame.object) set(frame.object, name!, value)
    else frame.list.push(value)
    frame.isAfterPart = true
    frame.isAfterComma = false
  }
}

const newFrame = (isObject: boolean, name: string | null): Frame => ({
  object: isObject ? {} : null,
  list: [],
  name,
  isAfterPart: false,
  isAfterComma: false,
})

/** In the words of V8, for whoever looks for the position. */
const fault = (position: number): SyntaxError => new SyntaxError(`Fault in JSON at position ${position}`)

/** Sets a field of its own, whatever its name. */
function set(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  else object[name] = value
}

function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return false
  }
  return true
}
