// The inbox: deliveries that started no run have a row of their own, an accepted one is read from its run.
import type { Kysely } from 'kysely'
import type { DeliveryRecord, DeliveryStore } from '../operations/ports.ts'
import { paged } from './paged.ts'
import { fromRequestColumns } from './request-columns.ts'
import type { Tables } from './tables.ts'

export function createDeliveryStore(db: Kysely<Tables>): Pick<DeliveryStore, 'list'> {
  return {
    async list(flowId, { limit, cursor }) {
      let others = db
        .selectFrom('delivery')
        .selectAll()
        .where('flow_id', '=', flowId)
        .orderBy('id', 'desc')
        .limit(limit + 1)
      let accepted = db
        .selectFrom('run')
        .select(['id', 'flow_id', 'created_at', 'reply_status', 'request', 'raw_body'])
        .where('flow_id', '=', flowId)
        .where('test', '=', 0)
        .where('replay_of', 'is', null)
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (cursor) {
        others = others.where('id', '<', cursor)
        accepted = accepted.where('id', '<', runIdOf(cursor))
      }
      const [otherRows, runRows] = await Promise.all([others.execute(), accepted.execute()])
      const records: DeliveryRecord[] = [
        ...otherRows.map((row) => ({
          id: row.id,
          flowId: row.flow_id,
          receivedAt: row.received_at,
          outcome: row.outcome as DeliveryRecord['outcome'],
          code: row.code,
          message: row.message,
          status: row.status,
          runId: row.run_id,
          webhook: fromRequestColumns(row),
        })),
        ...runRows.map((row) => ({
          id: deliveryIdOf(row.id),
          flowId: row.flow_id,
          receivedAt: row.created_at,
          outcome: 'accepted' as const,
          code: null,
          message: null,
          status: row.reply_status,
          runId: row.id,
          webhook: fromRequestColumns(row),
        })),
      ].sort((a, b) => (a.id < b.id ? 1 : -1))
      return paged(
        records.slice(0, limit + 1),
        limit,
        (record) => record.id,
        (record) => record,
      )
    },
  }
}

/** An accepted delivery shares the time-ordered part of its id with its run. */
const deliveryIdOf = (runId: string): string => runId.replace(/^run_/, 'dlv_')
const runIdOf = (deliveryId: string): string => deliveryId.replace(/^dlv_/, 'run_')
