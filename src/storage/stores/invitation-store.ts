// Stores the invitations that are not used yet.
import type { Kysely } from 'kysely'
import type { InvitationRecord, InvitationStore } from '../../operations/ports/access.ts'
import type { InvitationTable } from '../rows/access/access-tables.ts'
import { paged } from '../rows/paged.ts'
import type { Tables } from '../rows/tables.ts'
import { keepsScopes, lockedRole } from './user-store.ts'

const toInvitation = (row: InvitationTable): InvitationRecord => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  userId: row.user_id,
})

export function createInvitationStore(db: Kysely<Tables>): InvitationStore {
  return {
    add: ({ id, email, role, createdAt, expiresAt, userId }, code) =>
      db.transaction().execute(async (tx) => {
        const scopes = await lockedRole(tx, role)
        if (!scopes || (userId !== null && !(await keepsScopes(tx, userId, ['admin', ...scopes])))) return false
        await tx
          .insertInto('invitation')
          .values({ id, code, email, role, created_at: createdAt, expires_at: expiresAt, user_id: userId })
          .execute()
        return true
      }),

    async byCode(code, now) {
      const row = await db
        .selectFrom('invitation')
        .selectAll()
        .where('code', '=', code)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row ? toInvitation(row) : null
    },

    async list(now, { limit, cursor }) {
      let query = db
        .selectFrom('invitation')
        .selectAll()
        .where('expires_at', '>', now)
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (cursor) query = query.where('id', '<', cursor)
      return paged(await query.execute(), limit, (row) => row.id, toInvitation)
    },

    async remove(id) {
      const row = await db.deleteFrom('invitation').where('id', '=', id).returningAll().executeTakeFirst()
      return row ? toInvitation(row) : null
    },
  }
}
