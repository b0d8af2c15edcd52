import { sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export const sqliteDialect: Dialect = {
  key: sql`text`,
  bytes: sql`blob`,
  bigint: sql`integer`,
  keyed: sql`without rowid`,
  shared: false,
}
