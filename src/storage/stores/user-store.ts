// Stores users. A transaction decides what must hold among several of them: one first owner, and never no owner.
import type { Kysely, Transaction } from 'kysely'
import { BUILT_IN_ROLES, reaches, type Scopes, scopesFrom } from '../../base/scopes.ts'
import type { NewUser, UserRecord, UserStore } from '../../operations/ports/access.ts'
import type { UserAccountTable } from '../rows/access/access-tables.ts'
import { paged } from '../rows/paged.ts'
import type { Tables } from '../rows/tables.ts'

const ONLY_ROW = 1
const PUBLIC = ['user.id', 'email', 'user.name', 'role', 'user.created_at', 'last_sign_in_at', 'break_glass'] as const

type PublicRow = Pick<
  UserAccountTable,
  'id' | 'email' | 'name' | 'role' | 'created_at' | 'last_sign_in_at' | 'break_glass'
> & { scopes: string | null }

/** A role that is gone gives nothing. */
const scopesOfRole = (name: string, stored: string | null): Scopes =>
  BUILT_IN_ROLES.get(name) ?? scopesFrom(stored ?? '')

export const toUser = (row: PublicRow): UserRecord => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  scopes: scopesOfRole(row.role, row.scopes),
  createdAt: row.created_at,
  lastSignInAt: row.last_sign_in_at,
  breakGlass: row.break_glass === 1,
})

/** Returns the scopes of a role, which stay as they are until this transaction ends; null if there is no such role. */
export async function lockedRole(tx: Transaction<Tables>, name: string): Promise<Scopes | null> {
  const row = await tx
    .updateTable('user_role')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('name', '=', name)
    .returning('scopes')
    .executeTakeFirst()
  return BUILT_IN_ROLES.get(name) ?? (row ? scopesFrom(row.scopes) : null)
}

const usersWithRoles = (on: Kysely<Tables>) =>
  on.selectFrom('user_account as user').leftJoin('user_role', 'user_role.name', 'user.role')

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

/** Returns whether the user has these scopes, and locks the user: what this transaction adds cannot outlive the role. */
export async function keepsScopes(tx: Transaction<Tables>, id: string, scopes: Scopes): Promise<boolean> {
  await tx
    .updateTable('user_account')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('id', '=', id)
    .execute()
  const row = await usersWithRoles(tx)
    .select(['user.role', 'user_role.scopes'])
    .where('user.id', '=', id)
    .executeTakeFirst()
  return row !== undefined && reaches(scopesOfRole(row.role, row.scopes), scopes)
}

/** Ends what the user has beyond these scopes: sessions, invitations, authorization requests, and tokens with what they made. */
export async function endBeyond(tx: Transaction<Tables>, userId: string, scopes: Scopes): Promise<void> {
  await tx.deleteFrom('user_session').where('user_id', '=', userId).execute()
  await tx.deleteFrom('invitation').where('user_id', '=', userId).execute()
  await tx.deleteFrom('authorization_request').where('actor_id', '=', userId).execute()
  const tokens = await tx.selectFrom('api_token').select(['id', 'scope']).where('user_id', '=', userId).execute()
  const ended = tokens.filter(({ scope }) => !reaches(scopes, scopesFrom(scope))).map(({ id }) => id)
  if (ended.length) await tx.deleteFrom('api_token').where('id', 'in', ended).execute()
  await endAuthorizations(tx)
}

/** Deletes the authorization requests of those who are gone: a browser that comes back connects with the rights of its actor. */
export async function endAuthorizations(tx: Transaction<Tables>): Promise<void> {
  await tx
    .deleteFrom('authorization_request')
    .where('actor_id', 'is not', null)
    .where('actor_id', 'not in', (eb) => eb.selectFrom('user_account').select('id'))
    .where('actor_id', 'not in', (eb) => eb.selectFrom('api_token').select('id'))
    .execute()
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
    usersWithRoles(on).select(PUBLIC).select('user_role.scopes').where('user.id', '=', id).executeTakeFirst()

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
      const row = await usersWithRoles(db)
        .select([...PUBLIC, 'password', 'user_role.scopes'])
        .where('email', '=', email)
        .executeTakeFirst()
      return row ? { ...toUser(row), password: row.password || null } : null
    },

    async list({ limit, cursor }) {
      let query = usersWithRoles(db)
        .select(PUBLIC)
        .select('user_role.scopes')
        .orderBy('user.id')
        .limit(limit + 1)
      if (cursor) query = query.where('user.id', '>', cursor)
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

    setRole: (id, role) =>
      db.transaction().execute(async (tx) => {
        const user = await dispensable(tx, id)
        if (user === 'last_owner' && role === 'owner') return toUser((await find(tx, id))!)
        if (user === 'last_owner' || user === null) return user
        const scopes = await lockedRole(tx, role)
        if (!scopes) return 'no_role'
        await tx.updateTable('user_account').set({ role }).where('id', '=', id).execute()
        if (!reaches(scopes, user.scopes)) await endBeyond(tx, id, scopes)
        return { ...user, role, scopes }
      }),

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        const user = await dispensable(tx, id)
        if (user === null || user === 'last_owner') return user
        // The user's sessions, tokens and invitations are deleted with the row.
        await tx.deleteFrom('user_account').where('id', '=', id).execute()
        await endAuthorizations(tx)
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
