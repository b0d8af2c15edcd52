import { sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export const postgresDialect: Dialect = {
  key: sql`text collate "C"`,
  bytes: sql`bytea`,
  bigint: sql`bigint`,
  keyed: sql``,
  unkey: async () => {},
  shared: true,
}
