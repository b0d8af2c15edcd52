// Indexes sealed values by the id of their key, to count them and to seal them with another key.
import { type Kysely, sql } from 'kysely'

/** These indexes stay small: they hold only rows with secrets. */
export async function sealed(db: Kysely<unknown>): Promise<void> {
  await sql`create index run_sealed on run(substr(sealed, 8, 8), id) where sealed is not null`.execute(db)
  await sql`create index step_sealed on step(substr(sealed, 8, 8), run_id, path) where sealed is not null`.execute(db)
  await sql`create index key_value_sealed on key_value(substr(value, 8, 8), flow_id, key) where substr(value, 1, 7) = 'sealed:'`.execute(
    db,
  )
  await sql`create index run_document on run(id) where document is not null`.execute(db)
}
