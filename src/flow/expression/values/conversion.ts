/** Converts values to text, numbers and booleans. Lists and objects never convert implicitly. */

import { MISSING } from './bindings.ts'
import { DateValue } from './date-value.ts'
import { fail } from './errors.ts'
import type { Evaluation } from './evaluation.ts'

const TO_TEXT_HINT = 'Use JSON.stringify(…), join(…) or one of its properties.'

export function nameOfType(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined || value === MISSING) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof DateValue) return 'a date'
  if (typeof value === 'string') return 'text'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function isTruthy(value: unknown): boolean {
  return value !== MISSING && Boolean(value)
}

export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberToText(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (value === null) return 'null'
  if (value instanceof DateValue) return value.toIso()
  return fail(`Text was expected here, not ${nameOfType(value)}`, TO_TEXT_HINT)
}

export function numberToText(value: number): string {
  requireFinite(value)
  return String(value)
}

export function requireFinite(value: number): void {
  if (!Number.isFinite(value)) {
    fail(
      `A calculation gives ${Number.isNaN(value) ? 'no number (NaN)' : 'an infinite number'}`,
      'Check that its inputs are numbers and that nothing is divided by zero; Number.isFinite(x) tests for it.',
    )
  }
}

export function toNumber(run: Evaluation, value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') {
    run.work(1 + (value.length >> 4))
    return Number(value)
  }
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null) return 0
  if (value instanceof DateValue) return value.ms
  return fail(`A number was expected here, not ${nameOfType(value)}`, 'Use its length or one of its properties.')
}

/** Converts like JavaScript's ToIntegerOrInfinity; an argument that was not given is `absent`. */
export function toInteger(run: Evaluation, value: unknown, absent: number): number {
  if (value === undefined) return absent
  const number = toNumber(run, value)
  return Number.isNaN(number) ? 0 : Math.trunc(number)
}

export function toKey(run: Evaluation, value: unknown): string {
  if (typeof value === 'number') return String(value)
  const key = toText(value)
  run.work(1 + (key.length >> 6))
  return key
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : fail(`A list was expected here, not ${nameOfType(value)}`)
}
