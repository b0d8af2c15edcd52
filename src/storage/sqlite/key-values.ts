// A flow's durable keys on SQLite. The transaction that journals the step calls it, so each operation happens once.
import type { KeyValueOperation } from '../../engine/step-kind.ts'
import type { KeyValueResult } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { keyValueBinding } from '../rows/bindings.ts'
import { keyColumn, operateOn, type StoredValue } from '../rows/key-values.ts'
import type { SqliteStorage } from './database.ts'

export function createSqliteKeyValues({ raw }: SqliteStorage, protect: Protect) {
  const select = raw.prepare(
    'SELECT value, expires_at FROM key_value WHERE flow_id = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?)',
  )
  const put = raw.prepare('INSERT OR REPLACE INTO key_value (flow_id, key, value, expires_at) VALUES (?, ?, ?, ?)')
  const remove = raw.prepare('DELETE FROM key_value WHERE flow_id = ? AND key = ?')

  return (flowId: string, operation: KeyValueOperation, now: number): KeyValueResult => {
    const key = keyColumn(operation.key, protect)
    const present = select.get(flowId, key, now) as StoredValue | undefined
    const { result, becomes } = operateOn(present, operation, now, keyValueBinding(flowId, key), protect)
    if (becomes === 'nothing') remove.run(flowId, key)
    else if (becomes !== 'unchanged') put.run(flowId, key, becomes.value, becomes.expires_at)
    return result
  }
}
