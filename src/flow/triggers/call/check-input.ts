// Checks an input against the JSON Schema of a flow. Nothing is compiled to code, and the work is bounded.
import { isObject } from '../../../base/is-object.ts'
import { type Issue, pointer } from '../../issue.ts'
import { definitionOf } from './input-schema.ts'

type Schema = Readonly<Record<string, unknown>>
/** Reports a problem; the code is the keyword. */
type Report = (path: string, code: string, message: string) => void

/** The most looks at a value or a piece of text, some 50 ms of work; an input that needs more is refused. */
const MOST_WORK = 250_000
const CHARS_AT_ONCE = 32
const MOST_ISSUES = 50

class TooMuchWork extends Error {}

/** Returns what is wrong with an input, each with its path; nothing: it fits. Expects a schema without problems. */
export function inputIssues(schema: object | boolean, input: unknown): Issue[] {
  const issues: Issue[] = []
  const report: Report = (path, code, message) => {
    if (issues.length < MOST_ISSUES) issues.push({ path, code, message: `${subject(path)} ${message}` })
  }
  try {
    new InputCheck(schema).value(schema, input, '', report)
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error
    return [{ path: '', code: 'too_long', message: 'The input has too many values for the schema of this flow' }]
  }
  return issues
}

const subject = (path: string): string =>
  path === '' ? 'The input' : path.length > 100 ? `${path.slice(0, 100)}…` : path

const own = (value: object, key: string): boolean => Object.hasOwn(value, key)
const NOTHING: Report = () => {}

/** Messages never quote the input: it may be a secret. */
class InputCheck {
  readonly #definitions: Schema
  readonly #texts = new WeakMap<object, string>()
  #work = 0

  constructor(root: object | boolean) {
    this.#definitions = (isObject(root) && (root['$defs'] as Schema)) || {}
  }

  #count(work: number): void {
    this.#work += work
    if (this.#work > MOST_WORK) throw new TooMuchWork()
  }

  /** Counts the work on a text, which is in proportion to its length. */
  #countText(text: string): void {
    this.#count(1 + Math.floor(text.length / CHARS_AT_ONCE))
  }

  #fits(schema: unknown, value: unknown): boolean {
    return this.value(schema, value, '', NOTHING)
  }

  value(given: unknown, value: unknown, path: string, report: Report): boolean {
    this.#count(1)
    if (typeof given === 'boolean') {
      if (!given) report(path, 'false', 'is not allowed')
      return given
    }
    const schema = given as Schema
    let fits = true
    const fail = (code: string, message: string, at = path): void => {
      fits = false
      report(at, code, message)
    }
    const also = (one: unknown, of: unknown = value, at = path): void => {
      if (!this.value(one, of, at, report)) fits = false
    }
    const types = schema['type'] === undefined ? [] : ([schema['type']].flat() as string[])
    if (types.length && !types.some((type) => isOfType(value, type))) fail('type', `must be ${types.join(' or ')}`)
    if ('const' in schema && !this.#isOneOf([schema['const']], value))
      fail('const', 'is not the one value that is allowed')
    if (schema['enum'] && !this.#isOneOf(schema['enum'] as unknown[], value))
      fail('enum', 'is not one of the values that are allowed')
    if (schema['$ref'] !== undefined) also(this.#definitions[definitionOf(schema['$ref'] as string)!])
    this.#combined(schema, value, also, fail)
    if (typeof value === 'number') this.#number(schema, value, fail)
    else if (typeof value === 'string') this.#text(schema, value, fail)
    else if (Array.isArray(value)) this.#list(schema, value, path, also, fail)
    else if (typeof value === 'object' && value !== null) this.#object(schema, value as Schema, path, also, fail)
    return fits
  }

  #combined(schema: Schema, value: unknown, also: Also, fail: Fail): void {
    const { allOf, anyOf, oneOf } = schema as Record<string, unknown[] | undefined>
    for (const one of allOf ?? []) also(one)
    if (anyOf && !anyOf.some((one) => this.#fits(one, value))) fail('anyOf', 'fits none of the schemas in anyOf')
    if (oneOf && oneOf.filter((one) => this.#fits(one, value)).length !== 1)
      fail('oneOf', 'does not fit exactly one of the schemas in oneOf')
    if (schema['not'] !== undefined && this.#fits(schema['not'], value))
      fail('not', 'fits a schema that it must not fit')
    if (schema['if'] === undefined) return
    const branch = this.#fits(schema['if'], value) ? schema['then'] : schema['else']
    if (branch !== undefined) also(branch)
  }

  #number(schema: Schema, value: number, fail: Fail): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
      string,
      number | undefined
    >
    if (minimum !== undefined && value < minimum) fail('minimum', `must be at least ${minimum}`)
    if (maximum !== undefined && value > maximum) fail('maximum', `must be at most ${maximum}`)
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      fail('exclusiveMinimum', `must be more than ${exclusiveMinimum}`)
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      fail('exclusiveMaximum', `must be less than ${exclusiveMaximum}`)
    if (multipleOf !== undefined && !isMultiple(value, multipleOf))
      fail('multipleOf', `must be a multiple of ${multipleOf}`)
  }

  #text(schema: Schema, value: string, fail: Fail): void {
    const { minLength, maxLength } = schema as Record<string, number | undefined>
    if (minLength === undefined && maxLength === undefined) return
    this.#countText(value)
    const length = codePoints(value)
    if (minLength !== undefined && length < minLength) fail('minLength', `must have at least ${minLength} characters`)
    if (maxLength !== undefined && length > maxLength) fail('maxLength', `must have at most ${maxLength} characters`)
  }

  #list(schema: Schema, value: unknown[], path: string, also: Also, fail: Fail): void {
    const { minItems, maxItems, minContains = 1, maxContains } = schema as Record<string, number | undefined>
    if (minItems !== undefined && value.length < minItems) fail('minItems', `must have at least ${minItems} items`)
    if (maxItems !== undefined && value.length > maxItems) fail('maxItems', `must have at most ${maxItems} items`)
    const prefix = (schema['prefixItems'] ?? []) as unknown[]
    for (const [i, one] of prefix.entries()) if (i < value.length) also(one, value[i], pointer(path, i))
    const { items } = schema
    if (items !== undefined) for (let i = prefix.length; i < value.length; i++) also(items, value[i], pointer(path, i))
    if (schema['contains'] !== undefined) {
      const count = value.filter((item) => this.#fits(schema['contains'], item)).length
      if (count < minContains) fail('contains', `must contain at least ${minContains} items of the right kind`)
      if (maxContains !== undefined && count > maxContains)
        fail('contains', `must contain at most ${maxContains} items of the right kind`)
    }
    if (schema['uniqueItems'] === true && !this.#areUnique(value)) fail('uniqueItems', 'must not contain an item twice')
  }

  #object(schema: Schema, value: Schema, path: string, also: Also, fail: Fail): void {
    const { minProperties, maxProperties } = schema as Record<string, number | undefined>
    const keys = Object.keys(value)
    for (const key of keys) this.#countText(key)
    if (minProperties !== undefined && keys.length < minProperties)
      fail('minProperties', `must have at least ${minProperties} keys`)
    if (maxProperties !== undefined && keys.length > maxProperties)
      fail('maxProperties', `must have at most ${maxProperties} keys`)
    const require = (names: readonly string[]): void => {
      this.#count(2 * names.length)
      for (const name of names) if (!own(value, name)) fail('missing', 'is missing', pointer(path, name))
    }
    require((schema['required'] ?? []) as string[])
    for (const [name, needed] of this.#entries(schema['dependentRequired']))
      if (own(value, name)) require(needed as string[])
    for (const [name, one] of this.#entries(schema['dependentSchemas'])) if (own(value, name)) also(one)
    const properties = (schema['properties'] ?? {}) as Schema
    const { additionalProperties: others, propertyNames: names } = schema
    this.#count(2 * keys.length)
    for (const key of keys) {
      const at = pointer(path, key)
      if (names !== undefined) also(names, key, at)
      if (own(properties, key)) also(properties[key], value[key], at)
      else if (others === false) fail('unknown_key', 'is not a known key', at)
      else if (others !== undefined) also(others, value[key], at)
    }
  }

  #entries(keyword: unknown): [string, unknown][] {
    const entries = Object.entries((keyword ?? {}) as Schema)
    this.#count(entries.length)
    return entries
  }

  #areUnique(list: readonly unknown[]): boolean {
    // Texts are made and compared, which takes longer than a look.
    this.#count(2 * list.length)
    const seen = new Set<string>()
    for (const item of list) seen.add(this.#canonical(item))
    return seen.size === list.length
  }

  /** Returns the same text for equal values, whatever the order of their keys. */
  #canonical(value: unknown): string {
    this.#count(1)
    if (Array.isArray(value)) return `[${value.map((item) => this.#canonical(item)).join()}]`
    if (typeof value === 'string') this.#countText(value)
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const keys = Object.keys(value).toSorted()
    for (const key of keys) this.#countText(key)
    return `{${keys.map((key) => `${JSON.stringify(key)}:${this.#canonical((value as Schema)[key])}`).join()}}`
  }

  #isOneOf(options: readonly unknown[], value: unknown): boolean {
    this.#count(options.length)
    if (typeof value !== 'object' || value === null) return options.includes(value)
    const text = this.#canonical(value)
    return options.some((option) => typeof option === 'object' && option !== null && this.#textOf(option) === text)
  }

  /** Returns the canonical text of a value of the schema, which is made once. */
  #textOf(option: object): string {
    const known = this.#texts.get(option)
    if (known !== undefined) return known
    const text = this.#canonical(option)
    this.#texts.set(option, text)
    return text
  }
}

type Also = (schema: unknown, value?: unknown, path?: string) => void
type Fail = (code: string, message: string, path?: string) => void

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return isObject(value)
  return typeof value === type
}

/** Allows for what binary fractions cannot hold exactly: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const ratio = value / of
  return Math.abs(ratio - Math.round(ratio)) <= Number.EPSILON * Math.max(1, Math.abs(ratio))
}

/** JSON Schema counts characters of Unicode, not the units that JavaScript counts. */
function codePoints(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++, count++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++
  }
  return count
}
