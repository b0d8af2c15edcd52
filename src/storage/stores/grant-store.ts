// Stores the grants of OAuth connections: sealed, and changed only by a caller that names the present version.
import type { Kysely } from 'kysely'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { GrantRecord, GrantStore, Tokens } from '../../operations/ports/connections.ts'
import type { Sealing } from '../../operations/ports/secrets.ts'
import { grantBinding } from '../rows/bindings.ts'
import type { ConnectionGrantTable, Tables } from '../rows/tables.ts'

const UNREADABLE = 'its tokens cannot be read: they were changed or moved in the database'

export function createGrantStore(db: Kysely<Tables>, sealing: Sealing): GrantStore {
  const toGrant = (row: ConnectionGrantTable): GrantRecord => {
    const tokens = row.sealed === null ? null : sealing.unseal(row.sealed, grantBinding(row.connection))
    const unreadable = row.sealed !== null && tokens === null
    return {
      connection: row.connection,
      version: row.version,
      state: unreadable ? 'reconnect' : (row.state as GrantRecord['state']),
      reason: unreadable ? UNREADABLE : row.reason,
      tokens: tokens === null ? null : (parseJson(tokens) as Tokens),
      obtainedAt: row.obtained_at,
      expiresAt: row.expires_at,
      refreshingSince: row.refreshing_since,
    }
  }
  const toRow = (grant: GrantRecord): ConnectionGrantTable => ({
    connection: grant.connection,
    version: grant.version,
    state: grant.state,
    reason: grant.reason,
    sealed: grant.tokens && sealing.seal(JSON.stringify(grant.tokens), grantBinding(grant.connection)),
    obtained_at: grant.obtainedAt,
    expires_at: grant.expiresAt,
    refreshing_since: grant.refreshingSince,
  })

  /** Inserts nothing if the connection was deleted meanwhile. */
  const insert = (row: ConnectionGrantTable): Promise<boolean> =>
    db.transaction().execute(async (tx) => {
      const connection = tx.selectFrom('connection').select('name').where('name', '=', row.connection)
      if (!(await connection.executeTakeFirst())) return false
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('connection_grant')
        .values(row)
        .onConflict((c) => c.column('connection').doNothing())
        .executeTakeFirst()
      return Number(numInsertedOrUpdatedRows) === 1
    })

  return {
    async all() {
      const rows = await db.selectFrom('connection_grant').selectAll().execute()
      return rows.map(toGrant)
    },

    async get(connection) {
      const row = await db
        .selectFrom('connection_grant')
        .selectAll()
        .where('connection', '=', connection)
        .executeTakeFirst()
      return row ? toGrant(row) : null
    },

    async put(grant) {
      const row = toRow(grant)
      if (grant.version === 1) return insert(row)
      const { numUpdatedRows } = await db
        .updateTable('connection_grant')
        .set(row)
        .where('connection', '=', grant.connection)
        .where('version', '=', grant.version - 1)
        .executeTakeFirst()
      return Number(numUpdatedRows) === 1
    },

    async remove(connection) {
      await db.deleteFrom('connection_grant').where('connection', '=', connection).execute()
    },
  }
}
