// Passes rows as the parameters of one statement: each column is an array, which `unnest` turns into rows again.

/** Maps a column to the type of its array's elements. */
export type Columns = Record<string, 'text' | 'int' | 'bigint' | 'bytea'>

/** Returns `unnest($1::text[], $2::int[], …) as name(a, b, …)`. */
export function unnest(name: string, columns: Columns, first = 1): string {
  const arrays = Object.values(columns).map((type, i) => `$${first + i}::${type}[]`)
  return `unnest(${arrays.join(', ')}) as ${name}(${Object.keys(columns).join(', ')})`
}

export function arrays<C extends Columns>(columns: C, rows: readonly Record<keyof C & string, unknown>[]): unknown[][] {
  return Object.keys(columns).map((column) => rows.map((row) => row[column]))
}

/** The clock that all processes share, in milliseconds. */
export const DATABASE_NOW = `(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Replaces the one character that a text of PostgreSQL cannot hold. JSON escapes that character, so it stays unchanged. */
export const storable = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value
