/** Reads properties and indexes: own properties of JSON data only, so a prototype is never reached. */

import { MISSING } from './bindings.ts'
import type { Evaluation } from './evaluation.ts'

/** Stands for the rest of a `?.` chain that is not evaluated; never leaves the chain. */
export const SHORT_CIRCUIT: unique symbol = Symbol('short circuit')

const INDEX = /^(?:0|[1-9]\d{0,9})$/

/** `written` is the source of the access, for the error message if the missing value is used. */
export function readProperty(run: Evaluation, base: unknown, key: string, written: string): unknown {
  if (typeof base === 'object' && base !== null) {
    if (Object.hasOwn(base, key)) {
      const value = (base as Record<string, unknown>)[key]
      if (value !== undefined) return value
    }
    run.lacks(written)
    return MISSING
  }
  if (typeof base === 'string') {
    if (key === 'length') return base.length
    if (INDEX.test(key)) {
      run.read(base)
      const character = base[Number(key)]
      if (character !== undefined) return character
    }
  }
  if (base === SHORT_CIRCUIT) return base
  if (base === MISSING) run.lacksBelow(written)
  else run.lacks(written)
  return MISSING
}

/** Returns an object without a prototype, so that a property named `__proto__` is as inert as any other. */
export function newObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}
