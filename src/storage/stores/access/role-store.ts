// Stores the roles that owners make. Those that every installation has are not stored.
import type { Kysely } from 'kysely'
import { BUILT_IN_ROLES, reaches, scopesFrom } from '../../../base/scopes.ts'
import type { RoleRecord, RoleStore } from '../../../operations/ports/access.ts'
import type { UserRoleTable } from '../../rows/access/access-tables.ts'
import type { Tables } from '../../rows/tables.ts'
import { endBeyond, lockedRole } from '../user-store.ts'

const toRole = (row: UserRoleTable): RoleRecord => ({
  name: row.name,
  scopes: scopesFrom(row.scopes),
  createdAt: row.created_at,
})

const BUILT_IN: RoleRecord[] = [...BUILT_IN_ROLES].map(([name, scopes]) => ({ name, scopes, createdAt: null }))

export function createRoleStore(db: Kysely<Tables>): RoleStore {
  return {
    async list() {
      const rows = await db.selectFrom('user_role').selectAll().orderBy('name').execute()
      return [...BUILT_IN, ...rows.map(toRole)]
    },

    async get(name) {
      const row = await db.selectFrom('user_role').selectAll().where('name', '=', name).executeTakeFirst()
      return BUILT_IN.find((role) => role.name === name) ?? (row ? toRole(row) : null)
    },

    async add({ name, scopes, createdAt }) {
      if (BUILT_IN_ROLES.has(name)) return false
      const { numInsertedOrUpdatedRows: added } = await db
        .insertInto('user_role')
        .values({ name, scopes: scopes.join(' '), created_at: createdAt! })
        .onConflict((c) => c.column('name').doNothing())
        .executeTakeFirst()
      return Boolean(added)
    },

    change: (name, scopes) =>
      db.transaction().execute(async (tx) => {
        const before = BUILT_IN_ROLES.has(name) ? null : await lockedRole(tx, name)
        if (!before) return null
        await tx
          .updateTable('user_role')
          .set({ scopes: scopes.join(' ') })
          .where('name', '=', name)
          .execute()
        const users = await tx.selectFrom('user_account').select('id').where('role', '=', name).execute()
        if (!reaches(scopes, before)) for (const { id } of users) await endBeyond(tx, id, scopes)
        return users.map(({ id }) => id)
      }),

    remove: (name, now) =>
      db.transaction().execute(async (tx) => {
        await lockedRole(tx, name)
        const user = await tx.selectFrom('user_account').select('id').where('role', '=', name).executeTakeFirst()
        const invitation = await tx
          .selectFrom('invitation')
          .select('id')
          .where('role', '=', name)
          .where('expires_at', '>', now)
          .executeTakeFirst()
        if (user || invitation) return 'in_use'
        const { numDeletedRows } = await tx.deleteFrom('user_role').where('name', '=', name).executeTakeFirst()
        return numDeletedRows > 0n ? 'removed' : null
      }),
  }
}
