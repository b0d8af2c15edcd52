// Stores connections, with their secret fields sealed and bound to their row.
import type { Kysely } from 'kysely'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { ConnectionRecord, ConnectionStore, LastTest } from '../../operations/ports/connections.ts'
import type { Sealing } from '../../operations/ports/secrets.ts'
import { limitFrom, limitText } from '../rows/access/limit-text.ts'
import { connectionBinding } from '../rows/bindings.ts'
import type { ConnectionTable, Tables } from '../rows/tables.ts'

/** The place of the references among the readable fields; no field has such a name. */
const OUTSIDE = '@outside'

export function createConnectionStore(db: Kysely<Tables>, sealing: Sealing): ConnectionStore {
  const toRecord = (row: ConnectionTable): ConnectionRecord => {
    const secrets = sealing.unseal(row.sealed, connectionBinding(row.name))
    const { [OUTSIDE]: outside, ...fields } = parseJson(row.fields) as Record<string, unknown>
    return {
      name: row.name,
      kind: row.kind as ConnectionRecord['kind'],
      fields,
      secrets: secrets === null ? null : (parseJson(secrets) as Record<string, string>),
      outside: (outside as ConnectionRecord['outside'] | undefined) ?? {},
      hosts: parseJson(row.hosts) as string[],
      onlyFor: limitFrom(row.only_for),
      revision: row.revision,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      lastTest: row.tested_at === null ? null : { at: row.tested_at, verdict: row.test_verdict as LastTest['verdict'] },
    }
  }
  const toRow = (record: ConnectionRecord): ConnectionTable => ({
    name: record.name,
    kind: record.kind,
    fields: JSON.stringify({
      ...record.fields,
      ...(Object.keys(record.outside).length && { [OUTSIDE]: record.outside }),
    }),
    sealed: sealing.seal(JSON.stringify(record.secrets), connectionBinding(record.name)),
    hosts: JSON.stringify(record.hosts),
    only_for: limitText(record.onlyFor),
    revision: record.revision,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    ...testColumns(record.lastTest),
  })

  return {
    async all() {
      const rows = await db.selectFrom('connection').selectAll().execute()
      return rows.map(toRecord)
    },

    async create(connection) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('connection')
        .values(toRow(connection))
        .onConflict((c) => c.column('name').doNothing())
        .executeTakeFirst()
      return Number(numInsertedOrUpdatedRows) === 1
    },

    async replace(connection) {
      const { numUpdatedRows } = await db
        .updateTable('connection')
        .set(toRow(connection))
        .where('name', '=', connection.name)
        .where('revision', '=', connection.revision - 1)
        .executeTakeFirst()
      return Number(numUpdatedRows) === 1
    },

    async recordTest(name, revision, test) {
      const { numUpdatedRows } = await db
        .updateTable('connection')
        .set(testColumns(test))
        .where('name', '=', name)
        .where('revision', '=', revision)
        .executeTakeFirst()
      return Number(numUpdatedRows) === 1
    },

    remove: (name) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('connection_grant').where('connection', '=', name).execute()
        await tx.deleteFrom('authorization_request').where('connection', '=', name).execute()
        const { numDeletedRows } = await tx.deleteFrom('connection').where('name', '=', name).executeTakeFirst()
        return Number(numDeletedRows) === 1
      }),
  }
}

const testColumns = (test: LastTest | null): Pick<ConnectionTable, 'tested_at' | 'test_verdict'> => ({
  tested_at: test?.at ?? null,
  test_verdict: test?.verdict ?? null,
})
