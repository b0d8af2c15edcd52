// Stores the sessions of signed-in users.
import type { Kysely } from 'kysely'
import type { SessionStore } from '../../operations/ports/access.ts'
import type { Tables } from '../rows/tables.ts'
import { toUser } from './user-store.ts'

export function createSessionStore(db: Kysely<Tables>): SessionStore {
  return {
    open: ({ id, userId, createdAt, expiresAt }, password) =>
      db.transaction().execute(async (tx) => {
        // A change of the password ends the user's sessions: afterwards the old password must not open another.
        const { numUpdatedRows } = await tx
          .updateTable('user_account')
          .set({ last_sign_in_at: createdAt })
          .where('id', '=', userId)
          .where('password', '=', password)
          .executeTakeFirst()
        if (!numUpdatedRows) return false
        await tx
          .insertInto('user_session')
          .values({ id, user_id: userId, created_at: createdAt, expires_at: expiresAt })
          .execute()
        return true
      }),

    async find(id) {
      const row = await db
        .selectFrom('user_session as session')
        .innerJoin('user_account as user', 'user.id', 'session.user_id')
        .select(['user.id', 'user.email', 'user.name', 'user.role', 'user.created_at', 'user.last_sign_in_at'])
        .select(['session.created_at as opened_at', 'session.expires_at'])
        .where('session.id', '=', id)
        .executeTakeFirst()
      if (!row) return null
      const session = { id, userId: row.id, createdAt: row.opened_at, expiresAt: row.expires_at }
      return { session, user: toUser(row) }
    },

    async renew(id, expiresAt) {
      await db.updateTable('user_session').set({ expires_at: expiresAt }).where('id', '=', id).execute()
    },

    async end(id) {
      await db.deleteFrom('user_session').where('id', '=', id).execute()
    },
  }
}
