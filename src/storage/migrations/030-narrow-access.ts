// Roles that owners make, tokens with several scopes, an end and limits, and connections with limits.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

/** What the scopes of the versions before stand for. */
const BECOMES = {
  read: 'flows:read runs:read runs:data',
  write: 'flows:read flows:write runs:read runs:data runs:replay connections:use connections:write approvals',
  admin: 'flows:read flows:write runs:read runs:data runs:replay connections:use connections:write approvals admin',
}

export async function narrowAccess(db: Kysely<unknown>, { bigint }: Dialect): Promise<void> {
  await db.schema
    .createTable('user_role')
    .addColumn('name', 'text', (c) => c.primaryKey())
    // Names, with spaces between them.
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', bigint, (c) => c.notNull())
    .execute()
  for (const [before, after] of Object.entries(BECOMES))
    await sql`update api_token set scope = ${after} where scope = ${before}`.execute(db)
  await db.schema.alterTable('api_token').addColumn('expires_at', bigint).execute()
  // The token that made it: it is deleted with that one.
  await db.schema
    .alterTable('api_token')
    .addColumn('made_by', 'text', (c) => c.references('api_token.id').onDelete('cascade'))
    .execute()
  await db.schema.createIndex('api_token_made_by').on('api_token').column('made_by').execute()
  await db.schema.alterTable('api_token').addColumn('last_address', 'text').execute()
  // The flows and the tags that it is for, as JSON; null: all.
  await db.schema.alterTable('api_token').addColumn('only_for', 'text').execute()
  await db.schema.alterTable('connection').addColumn('only_for', 'text').execute()
}
