// Captured test requests and the latest results of Test Step.

import { type Kysely, sql } from 'kysely'
import { parseJson } from '../flow/parse-json.ts'
import type { Protect, SampleStore } from '../operations/ports.ts'
import { fromRequestColumns, requestColumns } from './request-columns.ts'
import type { Tables } from './tables.ts'

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

    async list(flowId) {
      const rows = await db
        .selectFrom('sample')
        .selectAll()
        .where('flow_id', '=', flowId)
        .orderBy('id', 'desc')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        flowId: row.flow_id,
        receivedAt: row.received_at,
        webhook: fromRequestColumns(row),
      }))
    },

    async stepResults(flowId) {
      const rows = await db.selectFrom('step_result').selectAll().where('flow_id', '=', flowId).execute()
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

function resultsOf(rows: readonly { step_id: string; output: string }[]): Record<string, unknown> {
  const results: Record<string, unknown> = Object.create(null)
  for (const row of rows) results[row.step_id] = parseJson(row.output)
  return results
}
