// Of the refused deliveries of a flow only the last are kept: they are found among all others.
import { type Kysely, sql } from 'kysely'

export async function rejected(db: Kysely<unknown>): Promise<void> {
  await sql`create index delivery_rejected on delivery(flow_id, id) where outcome = 'rejected'`.execute(db)
}
