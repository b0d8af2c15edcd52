// The flows' durable keys on PostgreSQL. The transaction that journals the steps calls it, so each operation happens once.
import type { KeyValueOperation } from '../../engine/step-kind.ts'
import type { KeyValueResult } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { keyValueBinding } from '../rows/bindings.ts'
import { keyColumn, operateOn, type StoredValue } from '../rows/key-values.ts'
import { arrays, type Columns, unnest } from './arrays.ts'
import type { HotPool } from './database.ts'

export interface FlowOperation {
  flowId: string
  operation: KeyValueOperation
  now: number
}

const KEY = { flow_id: 'text', key: 'text' } as const satisfies Columns
const VALUE = { ...KEY, value: 'text', expires_at: 'bigint' } as const satisfies Columns
type Row = StoredValue & { flow_id: string; key: string }

// A key that does not exist cannot be locked as a row: two transactions that add it at once would both find nothing. The
// locks are taken in one order, so that no two transactions wait for each other.
const LOCK = `select pg_advisory_xact_lock(lock) from (
  select distinct hashtextextended(binding, 0) as lock from unnest($1::text[]) as given(binding) order by lock) as locks`
const SELECT = `select key_value.flow_id, key_value.key, value, expires_at from ${unnest('given', KEY)}
  join key_value on key_value.flow_id = given.flow_id and key_value.key = given.key`
const PUT = `insert into key_value (flow_id, key, value, expires_at) select flow_id, key, value, expires_at from ${unnest('given', VALUE)}
  on conflict (flow_id, key) do update set value = excluded.value, expires_at = excluded.expires_at`
const REMOVE = `delete from key_value using ${unnest('given', KEY)} where key_value.flow_id = given.flow_id and key_value.key = given.key`

/** Executes the operations in order, and returns the results in the same order. */
export async function operateKeys(
  query: HotPool['query'],
  operations: readonly FlowOperation[],
  protect: Protect,
): Promise<KeyValueResult[]> {
  const placed = operations.map(({ flowId, operation, now }) => {
    const key = keyColumn(operation.key, protect)
    return { flow_id: flowId, key, binding: keyValueBinding(flowId, key), operation, now }
  })
  const keys = [...new Map(placed.map((one) => [one.binding, one])).values()]
  await query({ name: 'key-lock', text: LOCK, values: [keys.map(({ binding }) => binding)] })
  const stored = await query<Row>({ name: 'key-get', text: SELECT, values: arrays(KEY, keys) })
  const state = new Map<string, StoredValue | null>(stored.map((row) => [keyValueBinding(row.flow_id, row.key), row]))
  const changed = new Set<string>()
  const results = placed.map(({ binding, operation, now }) => {
    const value = state.get(binding)
    const present = value && (value.expires_at === null || value.expires_at > now) ? value : undefined
    const { result, becomes } = operateOn(present, operation, now, binding, protect)
    if (becomes !== 'unchanged') {
      state.set(binding, becomes === 'nothing' ? null : becomes)
      changed.add(binding)
    }
    return result
  })
  const written = keys
    .filter(({ binding }) => changed.has(binding))
    .map((key) => ({ ...key, ...state.get(key.binding) }))
  const there = written.filter(({ binding }) => state.get(binding))
  const gone = written.filter(({ binding }) => !state.get(binding))
  if (there.length)
    await query({
      name: 'key-put',
      text: PUT,
      values: arrays(VALUE, there as ((typeof there)[number] & StoredValue)[]),
    })
  if (gone.length) await query({ name: 'key-remove', text: REMOVE, values: arrays(KEY, gone) })
  return results
}
