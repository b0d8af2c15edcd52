/** Functions of lists and objects that JavaScript has no short way for. */
import { MISSING } from '../values/bindings.ts'
import { nameOfType, requireFinite, toKey, toList, toNumber, toText } from '../values/conversion.ts'
import { fail } from '../values/errors.ts'
import { type Callback, ELEMENT_SIZE, type Evaluation } from '../values/evaluation.ts'
import { newObject } from '../values/read-property.ts'
import { settle } from '../values/settle.ts'
import type { GlobalFunction } from './method.ts'
import { asObject } from './object-functions.ts'

const BY = { at: 1, required: false }
const NEW_KEY_WORK = 40

export const COLLECTION_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  unique: {
    arity: [1, 2],
    callback: BY,
    call(run, [given, by]) {
      const list = toList(given)
      const of = by === undefined ? (item: unknown) => item : part(run, 'unique', by)
      const seen = new Set<string>()
      const kept = list.filter((item) => {
        const key = sameness(run, of(item))
        return !seen.has(key) && seen.add(key)
      })
      run.grow(ELEMENT_SIZE * kept.length)
      return kept
    },
  },
  groupBy: {
    arity: [2, 2],
    callback: BY,
    call(run, [given, by]) {
      const list = toList(given)
      const of = part(run, 'groupBy', by)
      const groups = newObject() as Record<string, unknown[]>
      run.grow(ELEMENT_SIZE * list.length)
      for (const item of list) {
        const value = of(item)
        if (value === MISSING)
          fail('groupBy finds nothing in an item of the list', 'Give a default: x => x.kind ?? "".')
        const key = toKey(run, value)
        if (!Object.hasOwn(groups, key)) {
          // A new key takes far more time than one that is there.
          run.properties(1)
          run.work(NEW_KEY_WORK)
          groups[key] = []
        }
        groups[key]!.push(item)
      }
      return groups
    },
  },
  sum: {
    arity: [1, 2],
    callback: BY,
    call(run, [given, by]) {
      const list = toList(given)
      const of = by === undefined ? (item: unknown) => item : part(run, 'sum', by)
      run.work(2 * list.length)
      let sum = 0
      for (const item of list) {
        const value = of(item)
        if (value === MISSING) fail('sum finds nothing in an item of the list', 'Give a default: x => x.price ?? 0.')
        sum += toNumber(run, value)
      }
      requireFinite(sum)
      return sum
    },
  },
  pick: {
    arity: [2, 2],
    call: (run, [object, keys]) => withKeys(run, asObject(object), namesIn(run, keys), true),
  },
  omit: {
    arity: [2, 2],
    call: (run, [object, keys]) => withKeys(run, asObject(object), namesIn(run, keys), false),
  },
  urlEncode: {
    arity: [1, 1],
    call(run, [given]) {
      if (typeof given !== 'object' || given === null) return encoded(run, toText(given))
      const object = asObject(given)
      const keys = Object.keys(object)
      run.properties(keys.length)
      return keys
        .flatMap((key) => {
          const value = object[key]
          return (Array.isArray(value) ? value : [value]).map(
            (each) => `${encoded(run, key)}=${encoded(run, toText(each))}`,
          )
        })
        .join('&')
    },
  },
}

/** Returns what reads the part of an item that an arrow function or the name of a property gives. */
function part(run: Evaluation, name: string, by: unknown): (item: unknown) => unknown {
  if (typeof by === 'function') {
    const callback = by as Callback
    return (item) => callback(run, item)
  }
  if (typeof by !== 'string')
    fail(`${name} takes the name of a property or a function, not ${nameOfType(by)}`, "For example 'id' or x => x.id.")
  return (item) => {
    run.work(2)
    return typeof item === 'object' && item !== null && Object.hasOwn(item, by)
      ? (item as Record<string, unknown>)[by]
      : MISSING
  }
}

/** Returns a text that is the same for equal values: numbers and texts differ, lists and objects are compared by their content. */
function sameness(run: Evaluation, value: unknown): string {
  run.work(NEW_KEY_WORK)
  if (value === MISSING) return ''
  const text = JSON.stringify(settle(run, value, 0))
  run.grow(text.length)
  return text
}

function namesIn(run: Evaluation, keys: unknown): Set<string> {
  const list = toList(keys)
  run.work(4 * list.length)
  return new Set(list.map((key) => toKey(run, key)))
}

function withKeys(
  run: Evaluation,
  object: Record<string, unknown>,
  names: ReadonlySet<string>,
  kept: boolean,
): Record<string, unknown> {
  const keys = Object.keys(object)
  run.properties(keys.length)
  const result = newObject()
  for (const key of keys) if (names.has(key) === kept) result[key] = object[key]
  return result
}

function encoded(run: Evaluation, text: string): string {
  run.convert(text, 9)
  if (!text.isWellFormed()) fail('The text given to urlEncode has half a character in it')
  return encodeURIComponent(text)
}
