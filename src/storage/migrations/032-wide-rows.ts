// Keeps rows that may be large in tables that have row ids. Without them SQLite reads all of a row to compare its key: next to a
// row of 10 MB, each look at the table took 20 ms.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

const WIDE = ['step', 'key_value', 'callback_answer']

export async function wideRows(db: Kysely<unknown>, { shared }: Dialect): Promise<void> {
  // Tables of PostgreSQL are as these become.
  if (shared) return
  for (const table of WIDE) {
    const { rows } = await sql<{
      type: string
      sql: string
    }>`select type, sql from sqlite_master where tbl_name = ${table}
      and sql is not null`.execute(db)
    const made = rows.find(({ type }) => type === 'table')!.sql
    const copy = `${table}_by_row`
    await sql.raw(made.replace(`"${table}"`, `"${copy}"`).replace(/ without rowid$/i, '')).execute(db)
    await sql`insert into ${sql.table(copy)} select * from ${sql.table(table)}`.execute(db)
    await db.schema.dropTable(table).execute()
    await db.schema.alterTable(copy).renameTo(table).execute()
    for (const { type, sql: text } of rows) if (type !== 'table') await sql.raw(text).execute(db)
  }
}
