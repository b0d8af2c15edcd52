// Counts runs that were cancelled, in the transaction that cancels them.
import { CompiledQuery, type Transaction } from 'kysely'
import { MINUTE_MS } from '../../operations/ports/stats.ts'
import { isPostgres } from '../rows/dialect.ts'
import { type Addition, addCounts, CountSum, type CountTable } from '../rows/flow-counts.ts'
import type { Tables } from '../rows/tables.ts'

export async function countCancelled(
  tx: Transaction<Tables>,
  flowId: string,
  at: number,
  count: number,
): Promise<void> {
  const counted = { counter: 'cancelled', bucket: null, code: null } as const
  if (isPostgres(tx)) {
    const delta = { flow_id: flowId, minute: Math.floor(at / MINUTE_MS), count, ...counted }
    await tx.insertInto('flow_delta').values(delta).execute()
    return
  }
  const sum = new CountSum()
  sum.add({ flowId, at, ...counted }, count)
  const additions: [CountTable, Addition][] = []
  sum.take((table, row) => additions.push([table, row]))
  for (const [table, row] of additions) await tx.executeQuery(CompiledQuery.raw(addCounts(table), row))
}
