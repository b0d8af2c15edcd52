/** The functions `Object.*`, `JSON.*` and `Array.isArray`. */
import { measureJson } from '../../json/json-limits.ts'
import { parseJson } from '../../json/parse-json.ts'
import { nameOfType, toInteger, toKey, toList, toText } from '../values/conversion.ts'
import { DateValue } from '../values/date-value.ts'
import { fail } from '../values/errors.ts'
import { ELEMENT_SIZE, type Evaluation, MAX_DATA_DEPTH } from '../values/evaluation.ts'
import { newObject } from '../values/read-property.ts'
import { settle } from '../values/settle.ts'
import type { Arguments, GlobalFunction } from './method.ts'

export const OBJECT_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  keys: listing((key) => key),
  values: listing((_key, value) => value),
  entries: listing((key, value) => [key, value]),
  fromEntries: { arity: [1, 1], call: fromEntries },
}

export const JSON_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  parse: { arity: [1, 1], call: parse },
  stringify: { arity: [1, 3], call: stringify },
}

export const ARRAY_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  isArray: { arity: [1, 1], call: (_run, [value]) => Array.isArray(value) },
}

export function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || value instanceof DateValue) {
    fail(`An object was expected here, not ${nameOfType(value)}`)
  }
  return value as Record<string, unknown>
}

function listing(pick: (key: string, value: unknown) => unknown): GlobalFunction {
  return {
    arity: [1, 1],
    call(run, [value]) {
      const object = asObject(value)
      const keys = Object.keys(object)
      run.properties(keys.length)
      return keys.map((key) => pick(key, object[key]))
    },
  }
}

function fromEntries(run: Evaluation, [entries]: Arguments): unknown {
  const result = newObject()
  const list = toList(entries)
  run.properties(list.length)
  for (const entry of list) {
    const [key, value] = toList(entry)
    if (value === undefined) fail('Object.fromEntries takes a list of [key, value] pairs')
    result[toKey(run, key)] = value
  }
  return result
}

function parse(run: Evaluation, [given]: Arguments): unknown {
  const text = toText(given)
  chargeParsing(run, text)
  try {
    return parseJson(text)
  } catch {
    // The engine's message quotes the text, which may hold a secret.
    return fail('The text given to JSON.parse is not valid JSON', 'Look at the text; it may already be an object.')
  }
}

/** Charges before parsing: a list takes few characters but far more memory, and a new name takes far more time. */
function chargeParsing(run: Evaluation, text: string): void {
  run.grow(text.length)
  run.work(1 + (text.length >> 4))
  const limits = { depth: MAX_DATA_DEPTH, values: Math.floor(run.sizeLeft / ELEMENT_SIZE), names: MOST_NAMES }
  const { depth, values, names } = measureJson(text, limits)
  if (depth > MAX_DATA_DEPTH) fail(`The JSON text is nested more than ${MAX_DATA_DEPTH} levels deep`)
  run.grow(values * ELEMENT_SIZE)
  run.work(values * 3 + names * 30)
}

const MOST_NAMES = 20_000

function stringify(run: Evaluation, [value, replacer, space]: Arguments): string {
  if (replacer !== undefined && replacer !== null) {
    fail('JSON.stringify takes null as its second argument here', 'Build the object with just the properties you want.')
  }
  const indent = typeof space === 'string' ? space.slice(0, 10) : ' '.repeat(clampIndent(toInteger(run, space ?? 0, 0)))
  return JSON.stringify(settle(run, value, indent.length), null, indent)
}

function clampIndent(indent: number): number {
  return Math.min(Math.max(indent, 0), 10)
}
