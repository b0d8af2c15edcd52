// Stores captured test requests and the latest results of Test Step.

import { type Kysely, sql } from 'kysely'
import { parseJson } from '../../flow/parse-json.ts'
import type { SampleRecord, SampleStore } from '../../operations/ports/deliveries.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { bytesUpTo, UNBOUNDED, upTo } from '../rows/bounded.ts'
import { fromBoundedColumns, fromRequestColumns, requestColumns } from '../rows/request-columns.ts'
import type { SampleTable, Tables } from '../rows/tables.ts'

export function createSampleStore(db: Kysely<Tables>, protect: Protect): SampleStore {
  return {
    add: (sample, keep) =>
      db.transaction().execute(async (tx) => {
        await tx
          .insertInto('sample')
          .values({
            id: sample.id,
            flow_id: sample.flowId,
            received_at: sample.receivedAt,
            ...requestColumns(sample.webhook, protect.of(sample.flowId)),
          })
          .execute()
        const kept = tx
          .selectFrom('sample')
          .select('id')
          .where('flow_id', '=', sample.flowId)
          .orderBy('id', 'desc')
          .limit(keep)
        await tx.deleteFrom('sample').where('flow_id', '=', sample.flowId).where('id', 'not in', kept).execute()
      }),

    async list(flowId, maxBytes = UNBOUNDED) {
      const of = db.selectFrom('sample').where('flow_id', '=', flowId).orderBy('id', 'desc')
      const sizes = await of.select(['id', bytesUpTo(['raw_body'], maxBytes).as('bytes')]).execute()
      let left = maxBytes
      const whole = sizes.flatMap(({ id, bytes }) => {
        if (bytes > left) return []
        left -= bytes
        return id
      })
      const body = upTo<Uint8Array>('raw_body', maxBytes)
      const rows = await of
        .select((row) => [
          'id',
          'flow_id',
          'received_at',
          'request',
          row
            .case()
            .when('id', 'in', whole.length ? whole : [''])
            .then(body)
            .end()
            .as('raw_body'),
        ])
        .execute()
      return rows.map(toSample)
    },

    async latest(flowId) {
      const newest = db.selectFrom('sample').selectAll().where('flow_id', '=', flowId).orderBy('id', 'desc').limit(1)
      const row = await newest.executeTakeFirst()
      return row ? toSample(row) : null
    },

    async stepResults(flowId, maxBytes = UNBOUNDED) {
      const rows = await db
        .selectFrom('step_result')
        .select(['step_id', 'output'])
        .where('flow_id', '=', flowId)
        .where(sql`octet_length(output)`, '<=', maxBytes)
        .execute()
      return resultsOf(rows)
    },

    async small(flowId, maxBytes) {
      const sampled = await db
        .selectFrom('sample')
        .select((row) => [
          'request',
          row.case().when(sql`length(raw_body)`, '<=', maxBytes).then(row.ref('raw_body')).end().as('raw_body'),
        ])
        .where('flow_id', '=', flowId)
        .orderBy('id', 'desc')
        .execute()
      const rows = await db
        .selectFrom('step_result')
        .select(['step_id', 'output'])
        .where('flow_id', '=', flowId)
        .where(sql`length(output)`, '<=', maxBytes)
        .execute()
      const whole = sampled.flatMap(({ request, raw_body }) => (raw_body ? [{ request, raw_body }] : []))
      return {
        webhooks: whole.length === sampled.length ? whole.map(fromRequestColumns) : [],
        results: resultsOf(rows),
      }
    },

    async setStepResult(flowId, stepId, output, at) {
      const values = {
        flow_id: flowId,
        step_id: stepId,
        output: protect.of(flowId).json(JSON.stringify(output ?? null)),
        at,
      }
      await db
        .insertInto('step_result')
        .values(values)
        .onConflict((c) => c.columns(['flow_id', 'step_id']).doUpdateSet({ output: values.output, at }))
        .execute()
    },
  }
}

const toSample = (row: Omit<SampleTable, 'raw_body'> & { raw_body: Uint8Array | null }): SampleRecord => ({
  id: row.id,
  flowId: row.flow_id,
  receivedAt: row.received_at,
  webhook: fromBoundedColumns(row),
})

function resultsOf(rows: readonly { step_id: string; output: string }[]): Record<string, unknown> {
  const results: Record<string, unknown> = Object.create(null)
  for (const row of rows) results[row.step_id] = parseJson(row.output)
  return results
}
