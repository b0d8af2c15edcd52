// Reads large columns only up to a limit: the database knows their size without reading them.
import { type RawBuilder, sql } from 'kysely'

/** The largest limit that both databases can express. */
export const UNBOUNDED = 2 ** 31 - 1

/** Selects the column, or null if it holds more than `maxBytes`; then the database does not read it. */
export const upTo = <T>(column: string, maxBytes: number): RawBuilder<T | null> =>
  sql`case when octet_length(${sql.ref(column)}) <= ${maxBytes} then ${sql.ref(column)} end`

/** Selects the total bytes of the columns that `upTo` reads. */
export function bytesUpTo(columns: readonly string[], maxBytes: number): RawBuilder<number> {
  const size = (column: string) => sql`octet_length(${sql.ref(column)})`
  const parts = columns.map((column) => sql`case when ${size(column)} <= ${maxBytes} then ${size(column)} else 0 end`)
  return sql`${sql.join(parts, sql` + `)}`
}

/** Returns how many of the first sizes add up to `maxBytes` at most; at least one. */
export function fittingOf(sizes: readonly number[], maxBytes: number): number {
  let sum = 0
  for (const [i, size] of sizes.entries()) {
    sum += size
    if (sum > maxBytes && i > 0) return i
  }
  return sizes.length
}
