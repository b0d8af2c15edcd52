// Counts runs that were cancelled, in the transaction that cancels them.
import type { Transaction } from 'kysely'
import { MINUTE_MS } from '../../operations/ports/stats.ts'
import { isPostgres } from '../rows/dialect.ts'
import { DELTA_KEYS, NO_BUCKET, NO_CODE } from '../rows/flow-counts.ts'
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
