// The known text that tells a wrong key, and which keys what is stored still needs.
import type { Kysely } from 'kysely'
import type { VaultRecords } from '../operations/ports.ts'
import type { Tables } from './tables.ts'

const ONLY_ROW = 1
const UNFINISHED = ['queued', 'running', 'waiting'] as const
const SEALED = /sealed:([0-9a-f]{8})\.[\w-]{16}\.[\w-]{22}/g

export function createVaultRecords(db: Kysely<Tables>): VaultRecords {
  return {
    async check() {
      const row = await db.selectFrom('vault_check').select('sealed').where('id', '=', ONLY_ROW).executeTakeFirst()
      return row?.sealed ?? null
    },

    async setCheck(sealed) {
      await db
        .insertInto('vault_check')
        .values({ id: ONLY_ROW, sealed })
        .onConflict((c) => c.column('id').doUpdateSet({ sealed }))
        .execute()
    },

    async keyIdsInUse() {
      const texts = await db
        .selectFrom('flow')
        .select('draft as text')
        .where('draft', 'like', '%"sealed:%')
        .unionAll(
          db
            .selectFrom('flow_version as live')
            .innerJoin('flow', (join) =>
              join.onRef('flow.id', '=', 'live.flow_id').onRef('flow.version', '=', 'live.version'),
            )
            .select('live.document as text')
            .where('live.document', 'like', '%"sealed:%'),
        )
        .unionAll(db.selectFrom('connection').select('sealed as text'))
        .unionAll(
          db
            .selectFrom('connection_grant')
            .select((eb) => eb.ref('sealed').$notNull().as('text'))
            .where('sealed', 'is not', null),
        )
        .unionAll(db.selectFrom('key_value').select('value as text').where('value', 'like', 'sealed:%'))
        .unionAll(
          db
            .selectFrom('run')
            .select((eb) => eb.ref('sealed').$notNull().as('text'))
            .where('status', 'in', UNFINISHED)
            .where('sealed', 'is not', null),
        )
        .unionAll(
          db
            .selectFrom('step')
            .innerJoin('run', 'run.id', 'step.run_id')
            .select((eb) => eb.ref('step.sealed').$notNull().as('text'))
            .where('run.status', 'in', UNFINISHED)
            .where('step.sealed', 'is not', null),
        )
        .execute()
      const ids = new Set<string>()
      for (const { text } of texts) for (const [, id] of text.matchAll(SEALED)) ids.add(id!)
      return [...ids]
    },
  }
}
