// A flow's durable keys on SQLite; called inside the transaction that journals the step, so that each operation happens once.
import { createHash } from 'node:crypto'
import type { KeyValueOperation, StepError } from '../engine/step-kind.ts'
import { parseJson } from '../flow/parse-json.ts'
import type { KeyValueResult, Protect } from '../operations/ports.ts'
import { keyValueBinding } from './bindings.ts'
import type { SqliteStorage } from './sqlite-database.ts'

export function createSqliteKeyValues({ raw }: SqliteStorage, protect: Protect) {
  const select = raw.prepare(
    'SELECT value, expires_at FROM key_value WHERE flow_id = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?)',
  )
  const put = raw.prepare('INSERT OR REPLACE INTO key_value (flow_id, key, value, expires_at) VALUES (?, ?, ?, ?)')
  const remove = raw.prepare('DELETE FROM key_value WHERE flow_id = ? AND key = ?')

  return (flowId: string, { op, key: name, value, ttlMs }: KeyValueOperation, now: number): KeyValueResult => {
    // Sealed, a key would not be found again: one that holds a secret is kept by its digest.
    const key = protect.text(name) === name ? name : createHash('sha256').update(name).digest('hex')
    const binding = keyValueBinding(flowId, key)
    const row = select.get(flowId, key, now) as { value: string; expires_at: number | null } | undefined
    const present = row === undefined ? null : fromColumn(row.value, binding, protect)
    const write = (written: unknown, expiresAt: number | null) =>
      put.run(flowId, key, toColumn(written, binding, protect), expiresAt)
    const expiry = ttlMs === null ? null : now + ttlMs
    switch (op) {
      case 'get':
        return { output: { value: present } }
      case 'set':
        write(value, expiry)
        return { output: { value: value ?? null } }
      case 'add':
        if (row) return { output: { added: false, value: present } }
        write(value, expiry)
        return { output: { added: true, value: value ?? null } }
      case 'delete':
        remove.run(flowId, key)
        return { output: { deleted: row !== undefined } }
      case 'increment': {
        const by = value ?? 1
        if (typeof by !== 'number' || (row && typeof present !== 'number')) return { error: notANumber(name, by) }
        const sum = ((present as number | null) ?? 0) + by
        write(sum, ttlMs === null ? (row?.expires_at ?? null) : expiry)
        return { output: { value: sum } }
      }
    }
  }
}

const notANumber = (key: string, by: unknown): StepError => ({
  code: 'expression_failed',
  message: typeof by === 'number' ? `The key "${key}" holds no number` : 'The value to increment by is not a number',
  hint: 'increment adds a number to a number; use set for anything else.',
})

const SEALED = 'sealed:'

/** JSON never begins like a sealed text. */
function toColumn(value: unknown, binding: string, protect: Protect): string {
  const json = JSON.stringify(value ?? null)
  return protect.json(json) === json ? json : protect.seal(json, binding)
}

function fromColumn(text: string, binding: string, protect: Protect): unknown {
  return parseJson(text.startsWith(SEALED) ? protect.reveal(text, binding) : text)
}
