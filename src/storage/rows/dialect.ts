// What differs between the databases, in the migrations and in a few queries.
import { type Kysely, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'

export interface Dialect {
  /** The type of ids, paths and keys, which are compared and sorted by their bytes. */
  key: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
  /** The type of milliseconds and of counters beyond 32 bits. */
  bigint: RawBuilder<unknown>
  /** The end of a `create table` whose rows are found by primary key only. */
  keyed: RawBuilder<unknown>
  /** Makes a table that was made so as others are. */
  unkey(db: Kysely<unknown>, table: string): Promise<void>
  /** Whether several processes may use the database. */
  shared: boolean
}

/** Returns false if another transaction does this work already. SQLite has one writer at a time. */
export async function alone<DB>(tx: Kysely<DB>, work: string): Promise<boolean> {
  if (!isPostgres(tx)) return true
  const { rows } = await sql<{
    got: boolean
  }>`select pg_try_advisory_xact_lock(hashtextextended(${work}, 2)) as got`.execute(tx)
  return rows[0]!.got
}

export const isPostgres = <DB>(db: Kysely<DB>): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Returns whether the write failed because another row has the value of this unique column. */
export function isTaken(error: unknown, { table, column, index }: UniqueColumn): boolean {
  const { code, constraint, errcode, message } = error as Partial<Record<string, unknown>>
  if (code === '23505') return constraint === index
  return errcode === NOT_UNIQUE && message === `UNIQUE constraint failed: ${table}.${column}`
}

interface UniqueColumn {
  table: string
  column: string
  /** The index that makes it unique. */
  index: string
}

/** How the embedded database says it. */
const NOT_UNIQUE = 2067

/** Locks the rows until this transaction ends. SQLite has one writer at a time, and no syntax for it. */
export function locked<DB, T extends keyof DB & string, O>(
  db: Kysely<DB>,
  query: SelectQueryBuilder<DB, T, O>,
): SelectQueryBuilder<DB, T, O> {
  return isPostgres(db) ? query.forUpdate() : query
}
