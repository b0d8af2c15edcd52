// Keeps rows that may be large in tables that have row ids. Without them SQLite reads all of a row to compare its key: next to a
// row of 10 MB, each look at the table took 20 ms.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

const WIDE = ['step', 'key_value', 'callback_answer']

export async function wideRows(db: Kysely<unknown>, { unkey }: Dialect): Promise<void> {
  for (const table of WIDE) await unkey(db, table)
}
