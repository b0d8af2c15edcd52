// Stores the accounts of users at the providers of single sign-on.
import type { Kysely } from 'kysely'
import type { IdentityRecord, IdentityStore, LogoutTokens } from '../../../operations/ports/sign-in/identities.ts'
import type { UserIdentityTable } from '../../rows/access/access-tables.ts'
import type { Tables } from '../../rows/tables.ts'
import { addUser } from '../user-store.ts'

const toRow = (identity: IdentityRecord): UserIdentityTable => ({
  id: identity.id,
  user_id: identity.userId,
  issuer: identity.issuer,
  subject: identity.subject,
  email: identity.email,
  made_account: identity.madeAccount ? 1 : 0,
  created_at: identity.createdAt,
  used_at: identity.usedAt,
})

const toIdentity = (row: UserIdentityTable): IdentityRecord => ({
  id: row.id,
  userId: row.user_id,
  issuer: row.issuer,
  subject: row.subject,
  email: row.email,
  madeAccount: row.made_account === 1,
  createdAt: row.created_at,
  usedAt: row.used_at,
})

export function createIdentityStore(db: Kysely<Tables>): IdentityStore {
  const insert = async (on: Kysely<Tables>, identity: IdentityRecord): Promise<boolean> => {
    const { numInsertedOrUpdatedRows: added } = await on
      .insertInto('user_identity')
      .values(toRow(identity))
      .onConflict((c) => c.columns(['issuer', 'subject']).doNothing())
      .executeTakeFirst()
    return Boolean(added)
  }

  return {
    async find({ issuer, subject }) {
      const row = await db
        .selectFrom('user_identity')
        .selectAll()
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return row ? toIdentity(row) : null
    },

    async listOf(userId) {
      const rows = await db
        .selectFrom('user_identity')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute()
      return rows.map(toIdentity)
    },

    addWithUser: (user, identity) =>
      db.transaction().execute(async (tx) => {
        if (!(await addUser(tx, user))) return 'email_taken'
        if (await insert(tx, identity)) return 'added'
        await tx.deleteFrom('user_account').where('id', '=', user.id).execute()
        return 'identity_taken'
      }),

    link: (identity) =>
      db.transaction().execute(async (tx) => {
        const user = await tx
          .selectFrom('user_account')
          .select('id')
          .where('id', '=', identity.userId)
          .executeTakeFirst()
        return user !== undefined && insert(tx, identity)
      }),

    unlink: (id, userId) =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .deleteFrom('user_identity')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .returningAll()
          .executeTakeFirst()
        if (!row) return null
        await tx
          .deleteFrom('user_session')
          .where('user_id', '=', userId)
          .where('issuer', '=', row.issuer)
          .where('subject', '=', row.subject)
          .execute()
        return toIdentity(row)
      }),
  }
}

export function createLogoutTokens(db: Kysely<Tables>): LogoutTokens {
  return {
    async take(id, expiresAt, now) {
      await db.deleteFrom('logout_token').where('expires_at', '<=', now).execute()
      const { numInsertedOrUpdatedRows: added } = await db
        .insertInto('logout_token')
        .values({ id, expires_at: expiresAt })
        .onConflict((c) => c.column('id').doNothing())
        .executeTakeFirst()
      return Boolean(added)
    },
  }
}
