// Writes rows as CSV (RFC 4180): the inverse of read-csv.ts.
import { FormatError } from './format-error.ts'
import { type Meter, UNMETERED } from './meter.ts'
import { DELIMITER_PROBLEM, isDelimiter } from './read-csv.ts'
import { rewritten } from './text-units.ts'

export interface CsvWriting {
  /** Whether the names of the columns are the first row; lists have none. */
  header?: boolean | undefined
  delimiter?: string | undefined
  /** Whether a text that a spreadsheet would take for a formula gets an apostrophe before it. */
  escapeFormulas?: boolean | undefined
  meter?: Meter
}

const MOST_COLUMNS = 5_000
/** The longest text that is written, whatever goes in. */
const LONGEST = 16 * 1024 * 1024
const MOST_CELLS = 300_000
const DOUBLED = { '"': '""' }
const FORMULA = /^[=+\-@\t\r]/

/** Takes a list of objects or of lists. Throws FormatError. */
export function writeCsv(rows: unknown, writing: CsvWriting = {}): string {
  const { header = true, delimiter = ',', escapeFormulas = false, meter = UNMETERED } = writing
  if (!isDelimiter(delimiter)) throw new FormatError(DELIMITER_PROBLEM)
  if (!Array.isArray(rows)) throw new FormatError('CSV is made of a list of rows')
  if (rows.length === 0) return ''
  const names = namesIn(rows, meter)
  const toQuote = new RegExp(`["\\r\\n${delimiter.replace(/[\\\]^-]/, '\\$&')}]|^\\s|\\s$`)
  const cell = (value: unknown): string => {
    const text = cellText(value)
    const safe = escapeFormulas && typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
    return toQuote.test(safe) ? `"${rewritten(safe, /"/g, DOUBLED)}"` : safe
  }
  const lines: string[] = []
  let length = 0
  const add = (cells: readonly unknown[]) => {
    const line = cells.map(cell).join(delimiter)
    meter.work(24 + 12 * cells.length + (line.length >> 2))
    meter.grow(line.length + 2)
    length += line.length + 2
    if (length > LONGEST) throw new FormatError('the CSV would be longer than 16 MiB')
    // An empty line would be no row.
    lines.push(line === '' ? '""\r\n' : `${line}\r\n`)
  }
  if (names && header) add(names)
  for (const row of rows) add(names ? names.map((name) => (Object.hasOwn(row, name) ? row[name] : '')) : row)
  return lines.join('')
}

/** Returns the keys of all rows in the order in which they come; null where the rows are lists. */
function namesIn(rows: readonly unknown[], meter: Meter): string[] | null {
  const names = new Set<string>()
  let lists = 0
  let cells = 0
  for (const row of rows) {
    if (Array.isArray(row)) {
      lists++
      cells += row.length
      if (row.length > MOST_COLUMNS) tooWide()
      continue
    }
    if (typeof row !== 'object' || row === null) throw new FormatError('a row of CSV is an object or a list')
    const keys = Object.keys(row)
    meter.work(4 * keys.length)
    for (const key of keys) names.add(key)
    if (names.size > MOST_COLUMNS) tooWide()
  }
  if (Math.max(cells, rows.length * names.size) > MOST_CELLS)
    throw new FormatError(`CSV has at most ${MOST_CELLS.toLocaleString('en')} cells`)
  if (lists > 0 && lists < rows.length) throw new FormatError('the rows of CSV are all objects or all lists')
  return lists > 0 ? null : [...names]
}

function tooWide(): never {
  throw new FormatError(`CSV has at most ${MOST_COLUMNS.toLocaleString('en')} columns`)
}

function cellText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  throw new FormatError('a cell is a list, an object or no finite number; write it as text first')
}
