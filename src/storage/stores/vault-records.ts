// Stores the known text that reveals a wrong key, and finds the keys that stored values still need.
import { type Kysely, sql } from 'kysely'
import type { VaultRecords } from '../../operations/ports/upkeep.ts'
import { ACTIVE, WAITING } from '../rows/run-indexes.ts'
import type { Tables } from '../rows/tables.ts'

const ONLY_ROW = 1
const SEALED = /sealed:([0-9a-f]{8})\.[\w-]{16}\.[\w-]{22}/g

export function createVaultRecords(db: Kysely<Tables>): VaultRecords {
  return {
    async check() {
      const row = await db.selectFrom('vault_check').selectAll().where('id', '=', ONLY_ROW).executeTakeFirst()
      return row ? { sealed: row.sealed, keyIds: row.key_ids?.split(',') ?? null } : null
    },

    async setCheck(sealed, keyIds) {
      const row = { sealed, key_ids: keyIds.join() }
      await db
        .insertInto('vault_check')
        .values({ id: ONLY_ROW, ...row })
        .onConflict((c) => c.column('id').doUpdateSet(row))
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
        .unionAll(db.selectFrom('second_factor').select('sealed as text'))
        .unionAll(
          db
            .selectFrom('connection_grant')
            .select((eb) => eb.ref('sealed').$notNull().as('text'))
            .where('sealed', 'is not', null),
        )
        .execute()
      const ids = new Set<string>()
      for (const { text } of texts) for (const [, id] of text.matchAll(SEALED)) ids.add(id!)
      // Runs may be many, and their sealed values long: only the ids leave the database.
      for (const condition of [ACTIVE, WAITING]) {
        const rows = await db
          .selectFrom('run')
          .select(keyIdOf('run.sealed'))
          .where(condition)
          .where('run.sealed', 'is not', null)
          .union(
            db
              .selectFrom('step')
              .innerJoin('run', 'run.id', 'step.run_id')
              .select(keyIdOf('step.sealed'))
              .where(condition)
              .where('step.sealed', 'is not', null),
          )
          .execute()
        for (const { id } of rows) ids.add(id)
        // Test runs carry their document.
        const documents = await db
          .selectFrom('run')
          .select('document')
          .where(condition)
          .where('document', 'like', '%"sealed:%')
          .execute()
        for (const { document } of documents) for (const [, id] of document!.matchAll(SEALED)) ids.add(id!)
      }
      const values = await db
        .selectFrom('key_value')
        .select(keyIdOf('value'))
        .where('value', 'like', 'sealed:%')
        .distinct()
        .execute()
      for (const { id } of values) ids.add(id)
      const files = await db.selectFrom('file').select(keyIdOf('sealed_key')).distinct().execute()
      for (const { id } of files) ids.add(id)
      return [...ids]
    },
  }
}

/** Selects the key id of a column that is one sealed text as a whole. */
const keyIdOf = (column: string) =>
  sql<string>`substr(${sql.ref(column)}, ${sql.lit('sealed:'.length + 1)}, 8)`.as('id')
