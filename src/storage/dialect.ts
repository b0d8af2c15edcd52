// What differs between the databases in the migrations.
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

export interface Dialect {
  bytes: RawBuilder<unknown>
  /** Whole milliseconds and counters beyond 32 bits. */
  bigint: RawBuilder<unknown>
  /** Ends a table whose primary key is the only way in. */
  keyed: RawBuilder<unknown>
}

export const sqliteDialect: Dialect = {
  bytes: sql`blob`,
  bigint: sql`integer`,
  keyed: sql`without rowid`,
}
