// Indexes the rejected deliveries of a flow: only the latest are kept, and housekeeping has to find them among all others.
import { type Kysely, sql } from 'kysely'

export async function rejected(db: Kysely<unknown>): Promise<void> {
  await sql`create index delivery_rejected on delivery(flow_id, id) where outcome = 'rejected'`.execute(db)
}
