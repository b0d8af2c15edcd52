// Returns one page of a list: the query asks for one row more than the page holds, to know whether another page follows.
import type { Paged } from '../../operations/ports/page.ts'

export function paged<Row, T>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  map: (row: Row) => T,
): Paged<T> {
  const items = rows.slice(0, limit)
  return {
    items: items.map(map),
    nextCursor: rows.length > limit ? cursorOf(items.at(-1)!) : null,
  }
}

/** Returns the values for `in`, which takes no empty list. */
export const someOf = (values: readonly string[]): readonly string[] => (values.length ? values : [''])
