// Stores captured test requests, the latest results of Test Step, and the results that are pinned to steps.

import { type Kysely, sql } from 'kysely'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { SampleRecord, SampleStore } from '../../operations/ports/deliveries.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { useFiles } from '../files/file-rows.ts'
import { bytesUpTo, UNBOUNDED, upTo } from '../rows/bounded.ts'
import { fromBoundedColumns, fromRequestColumns, requestColumns } from '../rows/request-columns.ts'
import type { SampleTable, Tables } from '../rows/tables.ts'

/** Precedes the step id where the row holds a pinned result; no id of a step contains a colon. */
const PIN = 'pin:'

export function createSampleStore(db: Kysely<Tables>, protect: Protect): SampleStore {
  const rowsOf = (flowId: string, maxBytes = UNBOUNDED): Promise<ResultRow[]> =>
    db
      .selectFrom('step_result')
      .select(['step_id', 'output'])
      .where('flow_id', '=', flowId)
      .where(sql`octet_length(output)`, '<=', maxBytes)
      .execute()
  const keep = async (flowId: string, stepId: string, output: unknown, at: number): Promise<void> => {
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
  }
  return {
    add: (sample, keep, files = []) =>
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
        await useFiles(tx, sample.id, files)
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

    async body(flowId, id) {
      const row = await db
        .selectFrom('sample')
        .select('raw_body')
        .where('flow_id', '=', flowId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.raw_body ?? null
    },

    stepResults: async (flowId, maxBytes) => outputsOf(await rowsOf(flowId, maxBytes), false),
    pins: async (flowId, maxBytes) => outputsOf(await rowsOf(flowId, maxBytes), true),

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
      const rows = await rowsOf(flowId, maxBytes)
      const whole = sampled.flatMap(({ request, raw_body }) => (raw_body ? [{ request, raw_body }] : []))
      return {
        webhooks: whole.length === sampled.length ? whole.map(fromRequestColumns) : [],
        results: Object.assign(outputsOf(rows, false), outputsOf(rows, true)),
      }
    },

    setStepResult: keep,
    pin: (flowId, stepId, output, at) => keep(flowId, PIN + stepId, output, at),
    async unpin(flowId, stepId) {
      await db
        .deleteFrom('step_result')
        .where('flow_id', '=', flowId)
        .where('step_id', '=', PIN + stepId)
        .execute()
    },

    renameStep: (flowId, from, to) =>
      db.transaction().execute(async (tx) => {
        for (const prefix of ['', PIN]) {
          const of = [prefix + from, prefix + to] as const
          // What is left of an earlier step with the new id gives way.
          await tx.deleteFrom('step_result').where('flow_id', '=', flowId).where('step_id', '=', of[1]).execute()
          await tx
            .updateTable('step_result')
            .set({ step_id: of[1] })
            .where('flow_id', '=', flowId)
            .where('step_id', '=', of[0])
            .execute()
        }
      }),
  }
}

const toSample = (row: Omit<SampleTable, 'raw_body'> & { raw_body: Uint8Array | null }): SampleRecord => ({
  id: row.id,
  flowId: row.flow_id,
  receivedAt: row.received_at,
  webhook: fromBoundedColumns(row),
})

interface ResultRow {
  step_id: string
  output: string
}

/** Returns the results of tests, or the pins. */
function outputsOf(rows: readonly ResultRow[], pinned: boolean): Record<string, unknown> {
  const outputs: Record<string, unknown> = Object.create(null)
  for (const { step_id, output } of rows)
    if (step_id.startsWith(PIN) === pinned) outputs[pinned ? step_id.slice(PIN.length) : step_id] = parseJson(output)
  return outputs
}
