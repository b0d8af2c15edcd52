// What differs between the databases: in the migrations, and in the few queries that have to say it.
import { type Kysely, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'

export interface Dialect {
  /** Ids, paths and keys: compared and sorted by their bytes. */
  key: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
  /** Whole milliseconds and counters beyond 32 bits. */
  bigint: RawBuilder<unknown>
  /** Ends a table whose primary key is the only way in. */
  keyed: RawBuilder<unknown>
  /** More than one process may work on the database. */
  shared: boolean
}

/** false: another transaction is at that work already. SQLite has one writer at a time. */
export async function alone<DB>(tx: Kysely<DB>, work: string): Promise<boolean> {
  if (!isPostgres(tx)) return true
  const { rows } = await sql<{
    got: boolean
  }>`select pg_try_advisory_xact_lock(hashtextextended(${work}, 2)) as got`.execute(tx)
  return rows[0]!.got
}

const isPostgres = <DB>(db: Kysely<DB>): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Keeps other transactions from the rows until this one ends. SQLite has one writer at a time, and no words for it. */
export function locked<DB, T extends keyof DB & string, O>(
  db: Kysely<DB>,
  query: SelectQueryBuilder<DB, T, O>,
): SelectQueryBuilder<DB, T, O> {
  return isPostgres(db) ? query.forUpdate() : query
}
