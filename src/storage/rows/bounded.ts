// Reading what may be large only as far as somebody asked for: its size is known to the database without reading it.
import { type RawBuilder, sql } from 'kysely'

/** The largest that both databases can speak of. */
export const UNBOUNDED = 2 ** 31 - 1

/** The column, or null where it holds more bytes than that; then it is not read. */
export const upTo = <T>(column: string, maxBytes: number): RawBuilder<T | null> =>
  sql`case when octet_length(${sql.ref(column)}) <= ${maxBytes} then ${sql.ref(column)} end`

/** The bytes of the columns that `upTo` reads. */
export function bytesUpTo(columns: readonly string[], maxBytes: number): RawBuilder<number> {
  const size = (column: string) => sql`octet_length(${sql.ref(column)})`
  const parts = columns.map((column) => sql`case when ${size(column)} <= ${maxBytes} then ${size(column)} else 0 end`)
  return sql`${sql.join(parts, sql` + `)}`
}

/** How many of these, from the first on, are within that together; one at least. */
export function fittingOf(sizes: readonly number[], maxBytes: number): number {
  let sum = 0
  for (const [i, size] of sizes.entries()) {
    sum += size
    if (sum > maxBytes && i > 0) return i
  }
  return sizes.length
}
