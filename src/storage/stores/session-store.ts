// Stores the sessions of signed-in users.
import type { Kysely } from 'kysely'
import type { SessionRecord, SessionStore } from '../../operations/ports/access.ts'
import type { UserSessionTable } from '../rows/access/access-tables.ts'
import type { Tables } from '../rows/tables.ts'
import { toUser } from './user-store.ts'

const MOST_LISTED = 100

const toRow = ({ login, ...session }: SessionRecord): UserSessionTable => ({
  id: session.id,
  user_id: session.userId,
  created_at: session.createdAt,
  expires_at: session.expiresAt,
  device: session.device,
  address: session.address,
  used_at: session.usedAt,
  issuer: login?.issuer ?? null,
  subject: login?.subject ?? null,
  sid: login?.sid ?? null,
})

const toSession = (row: UserSessionTable): SessionRecord => ({
  id: row.id,
  userId: row.user_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  device: row.device,
  address: row.address,
  usedAt: row.used_at ?? row.created_at,
  login: row.issuer === null ? null : { issuer: row.issuer, subject: row.subject!, sid: row.sid },
})

export function createSessionStore(db: Kysely<Tables>): SessionStore {
  return {
    open: (session, password) =>
      db.transaction().execute(async (tx) => {
        // A change of the password ends the user's sessions: afterwards the old password must not open another.
        const { numUpdatedRows } = await tx
          .updateTable('user_account')
          .set({ last_sign_in_at: session.createdAt })
          .where('id', '=', session.userId)
          .where('password', '=', password)
          .executeTakeFirst()
        if (!numUpdatedRows) return false
        await tx.insertInto('user_session').values(toRow(session)).execute()
        return true
      }),

    openByLogin: (session) =>
      db.transaction().execute(async (tx) => {
        // Unlinking ends the sessions of the identity: afterwards it must not open another.
        const { numUpdatedRows } = await tx
          .updateTable('user_identity')
          .set({ used_at: session.createdAt })
          .where('user_id', '=', session.userId)
          .where('issuer', '=', session.login!.issuer)
          .where('subject', '=', session.login!.subject)
          .executeTakeFirst()
        if (!numUpdatedRows) return false
        await tx
          .updateTable('user_account')
          .set({ last_sign_in_at: session.createdAt })
          .where('id', '=', session.userId)
          .execute()
        await tx.insertInto('user_session').values(toRow(session)).execute()
        return true
      }),

    async find(id) {
      const row = await db
        .selectFrom('user_session as session')
        .innerJoin('user_account as user', 'user.id', 'session.user_id')
        .leftJoin('second_factor as factor', 'factor.user_id', 'session.user_id')
        .leftJoin('user_role', 'user_role.name', 'user.role')
        .selectAll('session')
        .select(['user.email', 'user.name', 'user.role', 'user.last_sign_in_at', 'user.break_glass'])
        .select(['user.created_at as joined_at', 'factor.confirmed_at', 'user_role.scopes'])
        .where('session.id', '=', id)
        .executeTakeFirst()
      if (!row) return null
      return {
        session: toSession(row),
        user: toUser({ ...row, id: row.user_id, created_at: row.joined_at }),
        secondFactor: row.confirmed_at !== null,
      }
    },

    async renew(id, expiresAt) {
      await db.updateTable('user_session').set({ expires_at: expiresAt }).where('id', '=', id).execute()
    },

    async used(id, at) {
      await db.updateTable('user_session').set({ used_at: at }).where('id', '=', id).execute()
    },

    async listOf(userId, now) {
      const rows = await db
        .selectFrom('user_session')
        .selectAll()
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .orderBy((eb) => eb.fn.coalesce('used_at', 'created_at'), 'desc')
        .orderBy('id')
        .limit(MOST_LISTED)
        .execute()
      return rows.map(toSession)
    },

    async end(id) {
      await db.deleteFrom('user_session').where('id', '=', id).execute()
    },

    async endOf(userId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('user_session')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    async endAllOf(userId, except) {
      let query = db.deleteFrom('user_session').where('user_id', '=', userId)
      if (except !== null) query = query.where('id', '!=', except)
      return Number((await query.executeTakeFirst()).numDeletedRows)
    },

    async endByLogin(issuer, { sid, subject }) {
      let query = db.deleteFrom('user_session').where('issuer', '=', issuer)
      if (subject !== null) query = query.where('subject', '=', subject)
      if (sid !== null) query = query.where('sid', '=', sid)
      const ended = await query.returning('user_id').execute()
      return [...new Set(ended.map(({ user_id }) => user_id))]
    },
  }
}
