// Records who changed the draft of a flow last, for the list of flows. It is unknown of drafts that were not changed since.
import type { Kysely } from 'kysely'

export async function lastEditor(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('flow').addColumn('updated_by', 'text').execute()
}
