// Finds deliveries that started no run by the type of their event, and the handshakes of a flow, of which only the latest are kept.
import { type Kysely, sql } from 'kysely'

export async function events(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('delivery').addColumn('event', 'text').execute()
  await sql`create index delivery_event on delivery(flow_id, event, id) where event is not null`.execute(db)
  await sql`create index delivery_handshake on delivery(flow_id, id) where outcome = 'handshake'`.execute(db)
}
