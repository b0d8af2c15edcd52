// The audit log: entries are only added, and deleted from the oldest on.
import type { Kysely } from 'kysely'
import { idTime } from '../../engine/ids.ts'
import { parseJson } from '../../flow/parse-json.ts'
import type { AuditAction, AuditEntry, AuditStore } from '../../operations/ports/audit.ts'
import { paged } from '../rows/paged.ts'
import type { AuditTable, Tables } from '../rows/tables.ts'

const toEntry = (row: AuditTable): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  actorId: row.actor_id,
  action: row.action as AuditAction,
  target: row.target_kind === null ? null : { kind: row.target_kind, id: row.target_id!, name: row.target_name },
  details: parseJson(row.details) as Record<string, unknown>,
})

export function createAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    async add({ id, at, actor, actorId, action, target, details }) {
      await db
        .insertInto('audit')
        .values({
          id,
          at,
          actor,
          actor_id: actorId,
          action,
          target_kind: target?.kind ?? null,
          target_id: target?.id ?? null,
          target_name: target?.name ?? null,
          details: JSON.stringify(details),
        })
        .execute()
    },

    async list({ limit, cursor }) {
      let query = db
        .selectFrom('audit')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (cursor) query = query.where('id', '<', cursor)
      return paged(await query.execute(), limit, (row) => row.id, toEntry)
    },

    async deleteOlderThan(before, limit) {
      const old = db
        .selectFrom('audit')
        .select('id')
        .where('id', '<', `aud_${idTime(before)}`)
        .orderBy('id')
        .limit(limit)
      const { numDeletedRows } = await db.deleteFrom('audit').where('id', 'in', old).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}
