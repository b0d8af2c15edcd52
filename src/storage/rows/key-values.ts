// Computes an operation on a flow's durable keys from the stored value; the databases read before and write after it.
import { createHash } from 'node:crypto'
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import type { KeyValueOperation, StepError } from '../../engine/step-kind.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { KeyValueResult } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'

export interface StoredValue {
  value: string
  expires_at: number | null
}

export interface Operated {
  result: KeyValueResult
  /** What is stored afterwards: a new value, nothing, or the same as before. */
  becomes: StoredValue | 'nothing' | 'unchanged'
}

const LONGEST_KEY = 500

/** Returns a key's stored form: a digest if it holds a secret (a sealed key is never found again) or no index takes it. */
export function keyColumn(name: string, protect: Protect): string {
  const asItIs =
    name.length <= LONGEST_KEY && !name.includes('\0') && name.isWellFormed() && protect.text(name) === name
  // JSON keeps different lone surrogates different.
  return asItIs ? name : createHash('sha256').update(JSON.stringify(name)).digest('hex')
}

/** `present`: the stored value, if it has not expired. */
export function operateOn(
  present: StoredValue | undefined,
  { op, key: name, value, ttlMs, secret }: KeyValueOperation,
  now: number,
  binding: string,
  protect: Protect,
): Operated {
  const { value: held, isSecret } = present === undefined ? NOTHING : fromColumn(present.value, binding, protect)
  // Another version of the flow stored the secret: this version's validation would know of it.
  if (isSecret && secret === undefined && op !== 'set' && op !== 'delete')
    return { result: { error: storedSecret(name) }, becomes: 'unchanged' }
  const become = (written: unknown, expiresAt: number | null): StoredValue => ({
    value: toColumn(written, secret === 'kept', binding, protect),
    expires_at: expiresAt,
  })
  const expiry = ttlMs === null ? null : now + ttlMs
  switch (op) {
    case 'get':
      return { result: { output: { value: held } }, becomes: 'unchanged' }
    case 'set':
      return { result: { output: { value: value ?? null } }, becomes: become(value, expiry) }
    case 'add':
      return present
        ? { result: { output: { added: false, value: held } }, becomes: 'unchanged' }
        : { result: { output: { added: true, value: value ?? null } }, becomes: become(value, expiry) }
    case 'delete':
      return { result: { output: { deleted: present !== undefined } }, becomes: 'nothing' }
    case 'increment': {
      const by = value ?? 1
      if (typeof by !== 'number' || (present && typeof held !== 'number'))
        return { result: { error: notANumber(name, by) }, becomes: 'unchanged' }
      const sum = ((held as number | null) ?? 0) + by
      return {
        result: { output: { value: sum } },
        becomes: become(sum, ttlMs === null ? (present?.expires_at ?? null) : expiry),
      }
    }
  }
}

const notANumber = (key: string, by: unknown): StepError => ({
  code: CODE.expression_failed,
  message: typeof by === 'number' ? `The key "${key}" holds no number` : 'The value to increment by is not a number',
  hint: 'increment adds a number to a number; use set for anything else.',
})

const storedSecret = (key: string): StepError => ({
  code: CODE.stored_secret,
  message: filled(STEP_ERRORS.stored_secret.message, { key }),
  hint: STEP_ERRORS.stored_secret.hint,
})

const SEALED = 'sealed:'
/** Marks a sealed value that came from a secret, whatever it looks like. */
const OF_A_SECRET = '!'
const NOTHING = { value: null, isSecret: false }

/** Returns the value as JSON, sealed if it holds a secret. JSON never begins like a sealed text. */
function toColumn(value: unknown, isSecret: boolean, binding: string, protect: Protect): string {
  const json = JSON.stringify(value ?? null)
  if (isSecret) return protect.seal(OF_A_SECRET + json, binding)
  return protect.json(json) === json ? json : protect.seal(json, binding)
}

function fromColumn(text: string, binding: string, protect: Protect): { value: unknown; isSecret: boolean } {
  const json = text.startsWith(SEALED) ? protect.reveal(text, binding) : text
  const isSecret = json.startsWith(OF_A_SECRET)
  return { value: parseJson(isSecret ? json.slice(OF_A_SECRET.length) : json), isSecret }
}
