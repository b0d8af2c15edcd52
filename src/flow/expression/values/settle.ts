/** Makes a result ready to leave the expression: JSON data of bounded size and depth, dates as text, no NaN. */
import { requireFinite } from './conversion.ts'
import { DateValue } from './date-value.ts'
import { fail } from './errors.ts'
import { ELEMENT_SIZE, type Evaluation, LARGE_OBJECT, MAX_DATA_DEPTH } from './evaluation.ts'

/**
 * Counts the size of `value` when written out, including every repetition of shared parts: a small expression can build a
 * structure whose JSON is endless. Copies only what holds a date. `indent`: the indentation, if it is written as JSON.
 */
export function settle(run: Evaluation, value: unknown, indent: number | null = null, depth = 1): unknown {
  switch (typeof value) {
    case 'string':
      run.grow(value.length)
      if (indent !== null) chargeWriting(run, value)
      return value
    case 'number':
      requireFinite(value)
      return value
    case 'boolean':
      return value
    case 'object':
      if (value === null) return value
      if (value instanceof DateValue) return value.toIso()
      if (depth > MAX_DATA_DEPTH) fail(`The data is nested more than ${MAX_DATA_DEPTH} levels deep`)
      return Array.isArray(value)
        ? settleList(run, value, indent, depth)
        : settleObject(run, value as Record<string, unknown>, indent, depth)
    default:
      return fail('This is not a value that can be inserted')
  }
}

function settleList(run: Evaluation, list: unknown[], indent: number | null, depth: number): unknown {
  run.grow((ELEMENT_SIZE + (indent ?? 0) * depth) * (list.length + 1))
  run.work(1 + 2 * list.length)
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index++) {
    const element = list[index]
    const settled = settle(run, element, indent, depth + 1)
    if (settled !== element) copy ??= list.slice()
    if (copy !== undefined) copy[index] = settled
  }
  return copy ?? list
}

function settleObject(run: Evaluation, object: Record<string, unknown>, indent: number | null, depth: number): unknown {
  const around = ELEMENT_SIZE + (indent ?? 0) * depth
  run.grow(around)
  run.work(10)
  let copy: Record<string, unknown> | undefined
  let count = 0
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue
    const value = object[key]
    if (value === undefined) continue
    run.grow(around + key.length)
    run.work(++count > LARGE_OBJECT ? 12 : 3)
    const settled = settle(run, value, indent, depth + 1)
    if (settled === value) continue
    if (copy === undefined) {
      run.properties(Object.keys(object).length)
      copy = Object.assign(Object.create(null) as Record<string, unknown>, object)
    }
    copy[key] = settled
  }
  return copy ?? object
}

/** Charges for characters that JSON escapes: they take the engine long, and become six times as long. */
function chargeWriting(run: Evaluation, text: string): void {
  run.work(1 + (text.length >> 3))
  let controls = 0
  let surrogates = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20) controls++
    else if (unit >= 0xd800 && unit <= 0xdfff) surrogates++
  }
  run.work(controls * 2 + surrogates * 6)
  run.grow((controls + surrogates) * 5)
}
