// Stores API tokens, by their digests.
import type { Kysely } from 'kysely'
import type { Role, Scope, TokenRecord, TokenStore } from '../../operations/ports/access.ts'
import type { ApiTokenTable } from '../rows/access/access-tables.ts'
import type { Tables } from '../rows/tables.ts'
import { endAuthorizations, keepsRole } from './user-store.ts'

/** Maps a scope to the roles that include it. */
const REACHING: Record<Scope, readonly Role[]> = {
  read: ['viewer', 'editor', 'owner'],
  write: ['editor', 'owner'],
  admin: ['owner'],
}

const toToken = (row: ApiTokenTable): TokenRecord => ({
  id: row.id,
  digest: row.digest,
  name: row.name,
  scope: row.scope as Scope,
  createdAt: row.created_at,
  createdBy: row.created_by,
  userId: row.user_id,
  lastUsedAt: row.last_used_at,
})

export function createTokenStore(db: Kysely<Tables>): TokenStore {
  return {
    async all() {
      const rows = await db.selectFrom('api_token').selectAll().execute()
      return rows.map(toToken)
    },

    async find(digest) {
      const row = await db.selectFrom('api_token').selectAll().where('digest', '=', digest).executeTakeFirst()
      return row ? toToken(row) : null
    },

    add: ({ id, digest, name, scope, createdAt, createdBy, userId, lastUsedAt }) =>
      db.transaction().execute(async (tx) => {
        if (userId !== null && !(await keepsRole(tx, userId, REACHING[scope]))) return false
        await tx
          .insertInto('api_token')
          .values({
            id,
            digest,
            name,
            scope,
            created_at: createdAt,
            created_by: createdBy,
            user_id: userId,
            last_used_at: lastUsedAt,
          })
          .execute()
        return true
      }),

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        const row = await tx.deleteFrom('api_token').where('id', '=', id).returningAll().executeTakeFirst()
        await endAuthorizations(tx, [id])
        return row ? toToken(row) : null
      }),

    async used(id, at) {
      await db.updateTable('api_token').set({ last_used_at: at }).where('id', '=', id).execute()
    },
  }
}
