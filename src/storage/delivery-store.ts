// The inbox: deliveries that started no run have a row of their own, an accepted one is read from its run.
import type { Kysely } from 'kysely'
import { deliveryIdOf, runIdOf } from '../engine/ids.ts'
import type { DeliveryRecord, DeliveryStore } from '../operations/ports.ts'
import { paged } from './paged.ts'
import { fromRequestColumns } from './request-columns.ts'
import type { DeliveryTable, RunTable, Tables } from './tables.ts'

export function createDeliveryStore(db: Kysely<Tables>): Omit<DeliveryStore, 'add'> {
  const othersOf = () => db.selectFrom('delivery').selectAll()
  const acceptedOf = () =>
    db
      .selectFrom('run')
      .select(['id', 'flow_id', 'created_at', 'reply_status', 'request', 'raw_body'])
      .where('test', '=', 0)
      .where('replay_of', 'is', null)

  return {
    async get(id) {
      const other = await othersOf().where('id', '=', id).executeTakeFirst()
      if (other) return toOther(other)
      const run = await acceptedOf().where('id', '=', runIdOf(id)).executeTakeFirst()
      return run ? toAccepted(run) : null
    },

    async list({ flowId, outcome }, { limit, cursor }) {
      let others = othersOf()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      let accepted = acceptedOf()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (flowId) {
        others = others.where('flow_id', '=', flowId)
        accepted = accepted.where('flow_id', '=', flowId)
      }
      if (outcome) others = others.where('outcome', '=', outcome)
      if (cursor) {
        others = others.where('id', '<', cursor)
        accepted = accepted.where('id', '<', runIdOf(cursor))
      }
      const [otherRows, runRows] = await Promise.all([
        outcome === 'accepted' ? [] : others.execute(),
        outcome === null || outcome === 'accepted' ? accepted.execute() : [],
      ])
      const records = [...otherRows.map(toOther), ...runRows.map(toAccepted)].sort((a, b) => (a.id < b.id ? 1 : -1))
      return paged(
        records.slice(0, limit + 1),
        limit,
        (record) => record.id,
        (record) => record,
      )
    },
  }
}

const toOther = (row: DeliveryTable): DeliveryRecord => ({
  id: row.id,
  flowId: row.flow_id,
  receivedAt: row.received_at,
  outcome: row.outcome as DeliveryRecord['outcome'],
  code: row.code,
  message: row.message,
  status: row.status,
  runId: row.run_id,
  webhook: fromRequestColumns(row),
})

const toAccepted = (
  row: Pick<RunTable, 'id' | 'flow_id' | 'created_at' | 'reply_status' | 'request' | 'raw_body'>,
): DeliveryRecord => ({
  id: deliveryIdOf(row.id),
  flowId: row.flow_id,
  receivedAt: row.created_at,
  outcome: 'accepted',
  code: null,
  message: null,
  status: row.reply_status,
  runId: row.id,
  webhook: fromRequestColumns(row),
})
