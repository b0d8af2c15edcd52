// Stores users. A transaction decides what must hold among several of them: one first owner, and never no owner.
import type { Kysely, Transaction } from 'kysely'
import type { NewUser, Role, Scope, UserRecord, UserStore } from '../../operations/ports/access.ts'
import type { UserAccountTable } from '../rows/access/access-tables.ts'
import { paged } from '../rows/paged.ts'
import type { Tables } from '../rows/tables.ts'

const ONLY_ROW = 1
const PUBLIC = ['id', 'email', 'name', 'role', 'created_at', 'last_sign_in_at', 'break_glass'] as const

export const toUser = (row: Pick<UserAccountTable, (typeof PUBLIC)[number]>): UserRecord => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role as Role,
  createdAt: row.created_at,
  lastSignInAt: row.last_sign_in_at,
  breakGlass: row.break_glass === 1,
})

const toUserRow = (user: NewUser): UserAccountTable => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  password: user.password ?? '',
  created_at: user.createdAt,
  last_sign_in_at: user.lastSignInAt,
  break_glass: user.breakGlass ? 1 : null,
})

/** Maps a scope to the scopes that exceed it. */
const BEYOND: Record<Scope, Scope[]> = { read: ['write', 'admin'], write: ['admin'], admin: [] }

/** Returns whether the user has one of these roles, and locks it: what this transaction adds cannot outlive the role. */
export async function keepsRole(tx: Transaction<Tables>, id: string, roles: readonly Role[]): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('user_account')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('id', '=', id)
    .where('role', 'in', roles)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the user's invitations, tokens whose scope exceeds `scope`, and authorization requests beyond it. */
async function endBeyond(tx: Transaction<Tables>, userId: string, scope: Scope): Promise<void> {
  if (scope === 'admin') return
  await tx.deleteFrom('invitation').where('user_id', '=', userId).execute()
  const ended = await tx
    .deleteFrom('api_token')
    .where('user_id', '=', userId)
    .where('scope', 'in', BEYOND[scope])
    .returning('id')
    .execute()
  await endAuthorizations(tx, [...(scope === 'read' ? [userId] : []), ...ended.map(({ id }) => id)])
}

/** Deletes the actors' authorization requests: a browser that comes back connects with the rights of its actor. */
export async function endAuthorizations(tx: Transaction<Tables>, actorIds: readonly string[]): Promise<void> {
  if (actorIds.length) await tx.deleteFrom('authorization_request').where('actor_id', 'in', actorIds).execute()
}

/** Returns false if another user has the e-mail address. */
export async function addUser(tx: Transaction<Tables>, user: NewUser): Promise<boolean> {
  const { numInsertedOrUpdatedRows: added } = await tx
    .insertInto('user_account')
    .values(toUserRow(user))
    .onConflict((c) => c.column('email').doNothing())
    .executeTakeFirst()
  return Boolean(added)
}

export function createUserStore(db: Kysely<Tables>): UserStore {
  const find = (on: Kysely<Tables>, id: string) =>
    on.selectFrom('user_account').select(PUBLIC).where('id', '=', id).executeTakeFirst()

  /** Returns a user who may be degraded or deleted; null if there is none with this id. */
  const dispensable = async (tx: Transaction<Tables>, id: string): Promise<UserRecord | 'last_owner' | null> => {
    // Counts the owners, and locks their rows until this transaction ends.
    const { numUpdatedRows: owners } = await tx
      .updateTable('user_account')
      .set((eb) => ({ role: eb.ref('role') }))
      .where('role', '=', 'owner')
      .executeTakeFirst()
    const row = await find(tx, id)
    if (!row) return null
    return row.role === 'owner' && owners === 1n ? 'last_owner' : toUser(row)
  }

  return {
    async get(id) {
      const row = await find(db, id)
      return row ? toUser(row) : null
    },

    async byEmail(email) {
      const row = await db.selectFrom('user_account').selectAll().where('email', '=', email).executeTakeFirst()
      return row ? { ...toUser(row), password: row.password || null } : null
    },

    async list({ limit, cursor }) {
      let query = db
        .selectFrom('user_account')
        .select(PUBLIC)
        .orderBy('id')
        .limit(limit + 1)
      if (cursor) query = query.where('id', '>', cursor)
      return paged(await query.execute(), limit, (row) => row.id, toUser)
    },

    async isSetUp() {
      return (await db.selectFrom('set_up').select('id').executeTakeFirst()) !== undefined
    },

    addFirstOwner: (user) =>
      db.transaction().execute(async (tx) => {
        const { numInsertedOrUpdatedRows: first } = await tx
          .insertInto('set_up')
          .values({ id: ONLY_ROW, at: user.createdAt })
          .onConflict((c) => c.column('id').doNothing())
          .executeTakeFirst()
        if (!first) return false
        await tx.insertInto('user_account').values(toUserRow(user)).execute()
        return true
      }),

    addInvited: (user, code) =>
      db.transaction().execute(async (tx) => {
        if (!(await addUser(tx, user))) return 'email_taken'
        const used = await tx
          .deleteFrom('invitation')
          .where('code', '=', code)
          .where('expires_at', '>', user.createdAt)
          .executeTakeFirst()
        if (used.numDeletedRows) return 'added'
        await tx.deleteFrom('user_account').where('id', '=', user.id).execute()
        return 'no_invitation'
      }),

    setRole: (id, role, scope) =>
      db.transaction().execute(async (tx) => {
        const user = await dispensable(tx, id)
        if (user === 'last_owner' && role === 'owner') return toUser((await find(tx, id))!)
        if (user === 'last_owner' || user === null) return user
        await tx.updateTable('user_account').set({ role }).where('id', '=', id).execute()
        await endBeyond(tx, id, scope)
        return { ...user, role }
      }),

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        const user = await dispensable(tx, id)
        if (user === null || user === 'last_owner') return user
        const tokens = await tx.selectFrom('api_token').select('id').where('user_id', '=', id).execute()
        await endAuthorizations(tx, [id, ...tokens.map((token) => token.id)])
        // The user's sessions, tokens and invitations are deleted with the row.
        await tx.deleteFrom('user_account').where('id', '=', id).execute()
        return user
      }),

    setPassword: (id, password, expected) =>
      db.transaction().execute(async (tx) => {
        let update = tx.updateTable('user_account').set({ password }).where('id', '=', id)
        if (expected !== null) update = update.where('password', '=', expected)
        const { numUpdatedRows } = await update.executeTakeFirst()
        if (!numUpdatedRows) return false
        await tx.deleteFrom('user_session').where('user_id', '=', id).execute()
        return true
      }),

    async setBreakGlass(id, on) {
      const { numUpdatedRows } = await db
        .updateTable('user_account')
        .set({ break_glass: on ? 1 : null })
        .where('id', '=', id)
        .where('role', '=', 'owner')
        .where('password', '!=', '')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}
