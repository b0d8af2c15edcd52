// A flow's durable keys on PostgreSQL; called inside the transaction that journals the step, so that each operation happens once.
import type { KeyValueOperation } from '../engine/step-kind.ts'
import type { KeyValueResult, Protect } from '../operations/ports.ts'
import { keyValueBinding } from './bindings.ts'
import { keyColumn, operateOn, type StoredValue } from './key-values.ts'
import type { HotPool } from './postgres-database.ts'

const LOCK = `select pg_advisory_xact_lock(hashtextextended($1, 0))`
const SELECT = `select value, expires_at from key_value where flow_id = $1 and key = $2 and (expires_at is null or expires_at > $3)`
const PUT = `insert into key_value (flow_id, key, value, expires_at) values ($1, $2, $3, $4)
  on conflict (flow_id, key) do update set value = excluded.value, expires_at = excluded.expires_at`
const REMOVE = `delete from key_value where flow_id = $1 and key = $2`

export async function operateKey(
  query: HotPool['query'],
  flowId: string,
  operation: KeyValueOperation,
  now: number,
  protect: Protect,
): Promise<KeyValueResult> {
  const key = keyColumn(operation.key, protect)
  const binding = keyValueBinding(flowId, key)
  // A key that is not there cannot be locked as a row: two that add it at once would both find nothing.
  await query({ name: 'key-lock', text: LOCK, values: [binding] })
  const [present] = await query<StoredValue>({ name: 'key-get', text: SELECT, values: [flowId, key, now] })
  const { result, becomes } = operateOn(present, operation, now, binding, protect)
  if (becomes === 'nothing') await query({ name: 'key-remove', text: REMOVE, values: [flowId, key] })
  else if (becomes !== 'unchanged')
    await query({ name: 'key-put', text: PUT, values: [flowId, key, becomes.value, becomes.expires_at] })
  return result
}
