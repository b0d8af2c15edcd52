// The settings of the instance that owners change while it runs.
import type { Kysely } from 'kysely'
import type { SettingStore } from '../../../operations/ports/instance.ts'
import type { Tables } from '../../rows/tables.ts'

export function createSettingStore(db: Kysely<Tables>): SettingStore {
  return {
    async get(name) {
      const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst()
      return row?.value ?? null
    },

    async set(name, value) {
      if (value === null) await db.deleteFrom('setting').where('name', '=', name).execute()
      else
        await db
          .insertInto('setting')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute()
    },
  }
}
