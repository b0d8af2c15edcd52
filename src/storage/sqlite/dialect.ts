import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export const sqliteDialect: Dialect = {
  key: sql`text`,
  bytes: sql`blob`,
  bigint: sql`integer`,
  keyed: sql`without rowid`,
  unkey: copyWithRowIds,
  shared: false,
}

async function copyWithRowIds(db: Kysely<unknown>, table: string): Promise<void> {
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
  for (const { type, sql: index } of rows) if (type !== 'table') await sql.raw(index).execute(db)
}
