// Reads CSV (RFC 4180) into lists or objects, once and from left to right.
import { BareObject } from '../../base/bare-object.ts'
import type { JsonLimits } from '../json/json-limits.ts'
import { FormatError } from './format-error.ts'
import { type Meter, UNMETERED } from './meter.ts'
import { NextUnit, TextUnits } from './text-units.ts'

/** The limits for CSV: `names` are columns. */
export const CSV_LIMITS: Omit<JsonLimits, 'depth'> = { values: 300_000, names: 5_000 }

export interface CsvReading {
  /** Whether the first row names the columns; the others are objects then, and lists otherwise. */
  header?: boolean | undefined
  delimiter?: string | undefined
  limits?: typeof CSV_LIMITS
  meter?: Meter
}

/** Throws FormatError. */
export function readCsv(text: string, { header = true, ...reading }: CsvReading = {}): unknown[] {
  const rows = new CsvReader(text, reading)
  if (!header) return [...rows.read()].map(({ cells }) => cells)
  let names: string[] | null = null
  const objects: unknown[] = []
  for (const { cells, at } of rows.read()) {
    if (names) objects.push(named(names, cells, text, at))
    else {
      if (new Set(cells).size < cells.length) throw new FormatError('two columns have the same name', text, at)
      names = cells
    }
  }
  return objects
}

function named(names: readonly string[], cells: readonly string[], text: string, at: number): Record<string, unknown> {
  if (cells.length !== names.length)
    throw new FormatError(`a row has ${cells.length} columns, and the header ${names.length}`, text, at)
  const row = new BareObject()
  for (let i = 0; i < names.length; i++) row[names[i]!] = cells[i]!
  return row
}

const QUOTE = 0x22
const CR = 0x0d
const LF = 0x0a

const VALUE_SIZE = 32
const VALUE_WORK = 8
const DOUBLED_PER_VALUE = 4

class CsvReader {
  readonly #text: string
  readonly #delimiter: string
  readonly #limits: typeof CSV_LIMITS
  readonly #meter: Meter
  readonly #delimiters: NextUnit
  readonly #feeds: NextUnit
  readonly #returns: NextUnit
  #values = 0

  constructor(text: string, { delimiter = ',', limits = CSV_LIMITS, meter = UNMETERED }: Omit<CsvReading, 'header'>) {
    if (!isDelimiter(delimiter)) throw new FormatError(DELIMITER_PROBLEM)
    this.#text = text
    this.#delimiter = delimiter
    this.#limits = limits
    this.#meter = meter
    this.#delimiters = new NextUnit(text, delimiter)
    this.#feeds = new NextUnit(text, '\n')
    this.#returns = new NextUnit(text, '\r')
  }

  *read(): Generator<{ cells: string[]; at: number }> {
    const text = this.#text
    this.#meter.work(1 + (text.length >> 4))
    for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; ) {
      const start = at
      const cells: string[] = []
      // A line without anything is no row.
      const blank = this.#lineEnd(at)
      if (blank !== at) {
        this.#count(0, at)
        at = blank
        continue
      }
      for (let more = true; more; ) {
        this.#count(cells.length, at)
        const end = text.charCodeAt(at) === QUOTE ? this.#quoted(at, cells) : this.#plain(at, cells)
        more = text[end] === this.#delimiter
        at = more ? end + 1 : this.#lineEnd(end)
      }
      yield { cells, at: start }
    }
  }

  /** Returns where the line that ends at `at` is over; `at` if none ends there. */
  #lineEnd(at: number): number {
    const unit = this.#text.charCodeAt(at)
    if (unit === LF) return at + 1
    if (unit !== CR) return at
    return this.#text.charCodeAt(at + 1) === LF ? at + 2 : at + 1
  }

  #plain(start: number, cells: string[]): number {
    const end = Math.min(this.#delimiters.from(start), this.#feeds.from(start), this.#returns.from(start))
    this.#meter.grow(end - start)
    cells.push(this.#text.slice(start, end))
    return end
  }

  #quoted(start: number, cells: string[]): number {
    const text = this.#text
    let end = text.indexOf('"', start + 1)
    let doubled = 0
    while (end !== -1 && text.charCodeAt(end + 1) === QUOTE) {
      // Several quotes inside of a cell take as long as one more cell.
      if (++doubled % DOUBLED_PER_VALUE === 0) this.#count(0, start)
      end = text.indexOf('"', end + 2)
    }
    if (end === -1) throw new FormatError('a quote is not closed', text, start)
    const next = end + 1
    if (next < text.length && text[next] !== this.#delimiter && this.#lineEnd(next) === next)
      throw new FormatError('text follows a closing quote; quotes inside are written twice', text, next)
    this.#meter.grow(end - start)
    cells.push(doubled === 0 ? text.slice(start + 1, end) : undoubled(text, start + 1, end))
    return next
  }

  #count(column: number, at: number): void {
    this.#meter.work(VALUE_WORK)
    this.#meter.grow(VALUE_SIZE)
    if (column >= this.#limits.names)
      throw new FormatError(`it has more than ${shown(this.#limits.names)} columns`, this.#text, at)
    if (++this.#values > this.#limits.values)
      throw new FormatError(`it has more than ${shown(this.#limits.values)} cells`, this.#text, at)
  }
}

const shown = (count: number): string => count.toLocaleString('en')

export const isDelimiter = (text: string): boolean => text.length === 1 && !/["\r\n\ufeff]/.test(text)

export const DELIMITER_PROBLEM = 'a delimiter is one character, and neither a quote nor a line break'

function undoubled(text: string, start: number, end: number): string {
  const units = new TextUnits(end - start)
  let plain = start
  for (let at = text.indexOf('"', start); at < end && at !== -1; at = text.indexOf('"', at + 2)) {
    units.slice(text, plain, at + 1)
    plain = at + 2
  }
  units.slice(text, plain, end)
  return units.toString()
}
