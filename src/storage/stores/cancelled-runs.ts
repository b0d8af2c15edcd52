// What goes with the cancellation of runs, in its transaction: they are counted, and the runs that wait for them become due.
import { type Kysely, sql, type Transaction } from 'kysely'
import { isErased, keptData, type RetentionDocument } from '../../flow/document.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { MINUTE_MS } from '../../operations/ports/stats.ts'
import { isPostgres, locked } from '../rows/dialect.ts'
import { DELTA_KEYS, NO_BUCKET, NO_CODE } from '../rows/flow-counts.ts'
import { IS_HANDLER, TO_ERASE } from '../rows/run-rows.ts'
import type { Tables } from '../rows/tables.ts'

export async function countCancelled(
  tx: Transaction<Tables>,
  flowId: string,
  at: number,
  count: number,
): Promise<void> {
  const minute = Math.floor(at / MINUTE_MS)
  const insert = tx
    .insertInto('flow_delta')
    .values({ flow_id: flowId, minute, counter: 'cancelled', bucket: NO_BUCKET, code: NO_CODE, count })
  // On PostgreSQL every row stands for itself.
  const added = isPostgres(tx)
    ? insert
    : insert.onConflict((conflict) =>
        conflict.columns([...DELTA_KEYS]).doUpdateSet((eb) => ({ count: eb('flow_delta.count', '+', count) })),
      )
  await added.execute()
}

/** Marks those of the cancelled runs whose flow does not keep their data. Tests keep theirs. */
export async function eraseCancelled(
  tx: Transaction<Tables>,
  runs: readonly { id: string; flow_id: string; test: number }[],
): Promise<void> {
  const flowIds = [...new Set(runs.map((run) => run.flow_id))]
  if (flowIds.length === 0) return
  const flows = await tx
    .selectFrom('flow')
    .select(['id', 'retention'])
    .where('id', 'in', flowIds)
    .where('retention', 'is not', null)
    .execute()
  for (const { id, retention } of flows) {
    const kept = keptData({ retention: parseJson(retention!) as RetentionDocument })
    // A handler is a part of a run that failed.
    const ids = runs.filter(
      (run) => run.flow_id === id && run.test !== 1 && isErased(kept, run.test === IS_HANDLER ? 'failed' : 'cancelled'),
    )
    if (ids.length)
      await tx
        .updateTable('run')
        .set({ erased: TO_ERASE })
        .where(
          'id',
          'in',
          ids.map((run) => run.id),
        )
        .execute()
  }
}

/** Locks runs in the order of their ids, as every transaction does that changes several. */
export async function lockRuns(tx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length) await locked(tx, tx.selectFrom('run').select('id').where('id', 'in', ids).orderBy('id')).execute()
}

export async function wakeRuns(tx: Kysely<Tables>, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return
  const query = tx.updateTable('run').set({ resume_at: at }).where('id', 'in', ids).where('status', '=', 'waiting')
  if (!isPostgres(tx)) await query.execute()
  else
    await query
      .set({
        // A run that gave its place back joins the line of its flow again.
        due_at: sql`case when placed = 3 then null else (extract(epoch from clock_timestamp()) * 1000)::bigint end`,
        placed: sql`case when placed = 3 then 0 else placed end`,
      } as never)
      .where(sql<boolean>`worker is null and placed is distinct from 0`)
      .execute()
}
