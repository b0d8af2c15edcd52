// Passes rows as the parameters of one statement: each column is an array, which `unnest` turns into rows again.

/** Maps a column to the type of its array's elements. */
export type Columns = Record<string, 'text' | 'int' | 'bigint' | 'bytea'>

/** Returns `unnest($1::text[], $2::int[], …) as name(a, b, …)`. */
export function unnest(name: string, columns: Columns, first = 1): string {
  const arrays = Object.values(columns).map((type, i) => `$${first + i}::${type}[]`)
  return `unnest(${arrays.join(', ')}) as ${name}(${Object.keys(columns).join(', ')})`
}

/** The types of elements by their numbers in every PostgreSQL. */
const TYPE_IDS = { text: 25, int: 23, bigint: 20, bytea: 17 } as const

const WORD = 4
const NULL_LENGTH = -1
const HIGH_WORD = 2 ** 32

type Element = string | Uint8Array | number

/**
 * Returns each column as an array in the binary form of PostgreSQL: as text every element would be escaped and every body written in
 * hexadecimal digits here, and read back there.
 */
export function arrays<C extends Columns>(columns: C, rows: readonly Record<keyof C & string, unknown>[]): Buffer[] {
  return Object.entries(columns).map(([column, type]) => {
    const elements = rows.map((row) => elementOf(type, row[column]))
    return binaryArray(type, elements)
  })
}

/** Throws if a value is of another kind: the database would take its bytes for something else. */
function elementOf(type: Columns[string], value: unknown): Element | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' && type === 'text') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    if (type === 'text') return String(value)
    if (type !== 'bytea') return value
  }
  if (value instanceof Uint8Array && type === 'bytea') return value
  throw new TypeError(`A value of the type ${typeof value} was given for a column of the type ${type}.`)
}

function binaryArray(type: Columns[string], elements: readonly (Element | null)[]): Buffer {
  const dimensions = elements.length ? 1 : 0
  const lengths = elements.map((element) => lengthOf(type, element))
  let size = (3 + 2 * dimensions + lengths.length) * WORD
  for (const length of lengths) size += Math.max(0, length)
  const array = Buffer.allocUnsafe(size)
  let at = array.writeInt32BE(dimensions, 0)
  at = array.writeInt32BE(lengths.includes(NULL_LENGTH) ? 1 : 0, at)
  at = array.writeInt32BE(TYPE_IDS[type], at)
  if (dimensions === 0) return array
  at = array.writeInt32BE(elements.length, at)
  at = array.writeInt32BE(1, at)
  for (const [i, element] of elements.entries()) {
    at = array.writeInt32BE(lengths[i]!, at)
    if (element === null) continue
    if (typeof element === 'string') array.write(element, at, 'utf8')
    else if (typeof element !== 'number') array.set(element, at)
    else if (type === 'int') array.writeInt32BE(element, at)
    else array.writeUInt32BE(element >>> 0, array.writeInt32BE(Math.floor(element / HIGH_WORD), at))
    at += lengths[i]!
  }
  return array
}

function lengthOf(type: Columns[string], element: Element | null): number {
  if (element === null) return NULL_LENGTH
  if (typeof element === 'number') return type === 'int' ? WORD : 2 * WORD
  return typeof element === 'string' ? Buffer.byteLength(element) : element.byteLength
}

/** The clock that all processes share, in milliseconds. */
export const DATABASE_NOW = `(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Replaces the one character that a text of PostgreSQL cannot hold. JSON escapes that character, so it stays unchanged. */
export const storable = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value
