// Stores API tokens, by their digests.
import type { Kysely } from 'kysely'
import { scopesFrom } from '../../base/scopes.ts'
import type { TokenRecord, TokenStore } from '../../operations/ports/access.ts'
import type { ApiTokenTable } from '../rows/access/access-tables.ts'
import { limitFrom, limitText } from '../rows/access/limit-text.ts'
import type { Tables } from '../rows/tables.ts'
import { endAuthorizations, keepsScopes } from './user-store.ts'

const toToken = (row: ApiTokenTable): TokenRecord => ({
  id: row.id,
  digest: row.digest,
  name: row.name,
  scopes: scopesFrom(row.scope),
  createdAt: row.created_at,
  createdBy: row.created_by,
  userId: row.user_id,
  madeBy: row.made_by,
  expiresAt: row.expires_at,
  limit: limitFrom(row.only_for),
  lastUsedAt: row.last_used_at,
  lastAddress: row.last_address,
})

const toRow = (token: TokenRecord): ApiTokenTable => ({
  id: token.id,
  digest: token.digest,
  name: token.name,
  scope: token.scopes.join(' '),
  created_at: token.createdAt,
  created_by: token.createdBy,
  user_id: token.userId,
  made_by: token.madeBy,
  expires_at: token.expiresAt,
  only_for: limitText(token.limit),
  last_used_at: token.lastUsedAt,
  last_address: token.lastAddress,
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

    add: (token) =>
      db.transaction().execute(async (tx) => {
        const { userId, scopes, madeBy } = token
        if (userId !== null && !(await keepsScopes(tx, userId, scopes))) return false
        if (madeBy !== null) {
          const maker = tx.updateTable('api_token').set((eb) => ({ name: eb.ref('name') }))
          const { numUpdatedRows } = await maker.where('id', '=', madeBy).executeTakeFirst()
          if (numUpdatedRows === 0n) return false
        }
        await tx.insertInto('api_token').values(toRow(token)).execute()
        return true
      }),

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        const row = await tx.deleteFrom('api_token').where('id', '=', id).returningAll().executeTakeFirst()
        await endAuthorizations(tx)
        return row ? toToken(row) : null
      }),

    removeOf: (userId) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('api_token').where('user_id', '=', userId).execute()
        await endAuthorizations(tx)
      }),

    async used(id, at, address) {
      await db.updateTable('api_token').set({ last_used_at: at, last_address: address }).where('id', '=', id).execute()
    },
  }
}
