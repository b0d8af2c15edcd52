// Stores second factors: the secret is sealed, recovery codes are kept as digests.
import type { Kysely } from 'kysely'
import type { Sealing } from '../../../operations/ports/secrets.ts'
import type { SecondFactorStore } from '../../../operations/ports/sign-in/second-factors.ts'
import { secondFactorBinding } from '../../rows/bindings.ts'
import type { Tables } from '../../rows/tables.ts'

export function createSecondFactorStore(db: Kysely<Tables>, sealing: Sealing): SecondFactorStore {
  const replaceCodes = async (on: Kysely<Tables>, userId: string, digests: readonly string[]): Promise<void> => {
    await on.deleteFrom('recovery_code').where('user_id', '=', userId).execute()
    if (digests.length)
      await on
        .insertInto('recovery_code')
        .values(digests.map((digest) => ({ user_id: userId, digest })))
        .execute()
  }

  return {
    async get(userId) {
      const row = await db.selectFrom('second_factor').selectAll().where('user_id', '=', userId).executeTakeFirst()
      if (!row) return null
      const secret = sealing.unseal(row.sealed, secondFactorBinding(userId))
      // Without its key the factor still counts: nobody gets in by losing a key.
      return { secret: secret ?? '', confirmedAt: row.confirmed_at, usedStep: row.used_step }
    },

    begin: (userId, secret, at) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('second_factor').where('user_id', '=', userId).where('confirmed_at', 'is', null).execute()
        const { numInsertedOrUpdatedRows: added } = await tx
          .insertInto('second_factor')
          .values({
            user_id: userId,
            sealed: sealing.seal(secret, secondFactorBinding(userId)),
            created_at: at,
            confirmed_at: null,
            used_step: 0,
          })
          .onConflict((c) => c.column('user_id').doNothing())
          .executeTakeFirst()
        return Boolean(added)
      }),

    confirm: (userId, step, at, recoveryCodes) =>
      db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('second_factor')
          .set({ confirmed_at: at, used_step: step })
          .where('user_id', '=', userId)
          .where('confirmed_at', 'is', null)
          .executeTakeFirst()
        if (!numUpdatedRows) return false
        await replaceCodes(tx, userId, recoveryCodes)
        return true
      }),

    async useStep(userId, step) {
      const { numUpdatedRows } = await db
        .updateTable('second_factor')
        .set({ used_step: step })
        .where('user_id', '=', userId)
        .where('used_step', '<', step)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async useRecoveryCode(userId, digest) {
      const { numDeletedRows } = await db
        .deleteFrom('recovery_code')
        .where('user_id', '=', userId)
        .where('digest', '=', digest)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    replaceRecoveryCodes: (userId, digests) => db.transaction().execute((tx) => replaceCodes(tx, userId, digests)),

    async recoveryCodesLeft(userId) {
      const { count } = await db
        .selectFrom('recovery_code')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    remove: (userId) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('recovery_code').where('user_id', '=', userId).execute()
        const removed = await tx
          .deleteFrom('second_factor')
          .where('user_id', '=', userId)
          .returning('confirmed_at')
          .executeTakeFirst()
        return removed !== undefined && removed.confirmed_at !== null
      }),

    async having(userIds) {
      if (userIds.length === 0) return new Set()
      const rows = await db
        .selectFrom('second_factor')
        .select('user_id')
        .where('user_id', 'in', userIds)
        .where('confirmed_at', 'is not', null)
        .execute()
      return new Set(rows.map(({ user_id }) => user_id))
    },
  }
}
