/** `==`, `===`, `<` and the like as in JavaScript, except that lists and objects equal only themselves. */

import { MISSING } from './bindings.ts'
import { toNumber } from './conversion.ts'
import type { Evaluation } from './evaluation.ts'

export function strictlyEqual(run: Evaluation, a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length !== b.length) return false
    run.read(a)
  }
  return a === b
}

export function looselyEqual(run: Evaluation, a: unknown, b: unknown): boolean {
  if (a === MISSING || a === null) return b === MISSING || b === null
  if (b === MISSING || b === null) return false
  if (typeof a === typeof b) return strictlyEqual(run, a, b)
  if (typeof a === 'object' || typeof b === 'object') return false
  return toNumber(run, a) === toNumber(run, b)
}

/** Returns a negative number, zero or a positive one; NaN if the two have no order. Texts are compared by UTF-16 units. */
export function compare(run: Evaluation, a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') {
    run.read(a.length < b.length ? a : b)
    return a < b ? -1 : a > b ? 1 : 0
  }
  const x = toNumber(run, a)
  const y = toNumber(run, b)
  return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN
}
