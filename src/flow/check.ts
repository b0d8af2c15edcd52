// Checks a value against a schema of schema.ts and reports every problem at once; a visitor gets templates and nested steps.
import type { TSchema } from 'typebox'
import type { IssueCode } from '../base/error-catalogue.ts'
import { type Findings, nearest, type Patience, pointer, quoted, type Weight } from './issue.ts'
import type { Annotation, StepListView, TemplateMode } from './schema.ts'

export interface Visitor {
  /** Called for a string that may hold templates. `lazy`: evaluated when the step asks for it. */
  template(source: string, path: string, mode: TemplateMode | 'condition', lazy: boolean): void
  steps(list: unknown[], path: string, view: StepListView): void
  /** Reports a literal in a secret field. */
  secret(path: string): void
  /** Called for the name of a connection that has to be of one of these kinds. */
  connection(name: string, path: string, kinds: readonly string[]): void
  /** Called for the id or slug of a flow that is called. */
  flow?(name: string, path: string): void
}

/** The JSON Schema keywords in use, as one type. */
export interface SchemaNode extends Annotation {
  type?: string | string[]
  properties?: Record<string, SchemaNode>
  required?: string[]
  additionalProperties?: boolean | SchemaNode
  patternProperties?: Record<string, SchemaNode>
  items?: SchemaNode
  anyOf?: SchemaNode[]
  const?: string | number | boolean
  default?: unknown
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
}

export const hasTemplate = (text: string): boolean => text.includes('{{')

/** Returns, of "one, or a list of them", the schema that fits the value; returns any other schema unchanged. */
export function oneOrList(schema: SchemaNode, value: unknown): SchemaNode {
  const [one, list] = schema['x-template'] ? [] : (schema.anyOf ?? [])
  if (list?.type !== 'array') return schema
  return Array.isArray(value) ? list : one!
}

export function checkValue(
  schema: TSchema,
  value: unknown,
  path: string,
  findings: Findings,
  visitor: Visitor,
  patience: Patience = { comparisons: 1000 },
): void {
  new Checker(findings, visitor, patience).value(schema as SchemaNode, value, path)
}

class Checker {
  readonly #findings: Findings
  readonly #visitor: Visitor
  readonly #patience: Patience
  constructor(findings: Findings, visitor: Visitor, patience: Patience) {
    this.#findings = findings
    this.#visitor = visitor
    this.#patience = patience
  }

  #report(weight: Weight, path: string, code: IssueCode, message: string): void {
    this.#findings.add(weight, path, code, `${subject(path)} ${message}`)
  }

  value(given: SchemaNode, value: unknown, path: string): void {
    const schema = oneOrList(given, value)
    if (schema['x-steps'] !== undefined) {
      if (this.#isType(schema, value, path)) this.#visitor.steps(value as unknown[], path, schema['x-steps'])
      return
    }
    const mode = schema['x-template']
    if (mode === 'tree' || schema['x-lazy'] === 'tree') {
      this.#tree(value, path, schema['x-lazy'] !== undefined)
      return
    }
    if (typeof value === 'string' && hasTemplate(value) && (mode || schema['x-lazy'])) {
      this.#visitor.template(value, path, mode ?? 'condition', schema['x-lazy'] !== undefined)
      return
    }
    if (typeof value === 'string' && value !== '' && schema['x-lazy'] === 'condition') {
      this.#report(
        'publish',
        path,
        'invalid_format',
        `is the text ${describe(value)}; a condition is a {{ template }}, or true or false`,
      )
      return
    }
    if (schema['x-secret'] && value !== '' && value !== undefined) this.#visitor.secret(path)
    if (mode === 'value' && schema.anyOf) this.value(schema.anyOf[0]!, value, path)
    else if (schema.anyOf) this.#union(schema.anyOf, value, path)
    else this.#plain(schema, value, path)
  }

  #tree(value: unknown, path: string, lazy: boolean): void {
    if (typeof value === 'string') {
      if (hasTemplate(value)) this.#visitor.template(value, path, 'tree', lazy)
    } else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) if (mayHoldTemplate(item)) this.#tree(item, pointer(path, i), lazy)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value))
        if (mayHoldTemplate(item)) this.#tree(item, pointer(path, key), lazy)
    }
  }

  #union(options: SchemaNode[], value: unknown, path: string): void {
    if (options.every((option) => option.const !== undefined)) {
      const allowed = options.map((option) => option.const)
      if ((allowed as unknown[]).includes(value)) return
      const list = allowed.join(', ')
      if (value === '') this.#report('publish', path, 'empty', `is empty; choose one of ${list}`)
      else
        this.#report(
          'shape',
          path,
          'unknown_value',
          `must be one of ${list}, but is ${describe(value)}${this.#meant(value, allowed)}`,
        )
      return
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#report('shape', path, 'wrong_type', `must be an object with a "kind", but is ${describe(value)}`)
      return
    }
    const kinds = options.map((option) => option.properties?.['kind']?.const)
    const kind = own(value, 'kind')
    const option = options[(kinds as unknown[]).indexOf(kind)]
    if (option) this.#plain(option, value, path)
    else if (kind === undefined || kind === '')
      this.#report('publish', pointer(path, 'kind'), 'missing', `is missing; choose one of ${kinds.join(', ')}`)
    else
      this.#report(
        'shape',
        pointer(path, 'kind'),
        'unknown_kind',
        `must be one of ${kinds.join(', ')}, but is ${describe(kind)}${this.#meant(kind, kinds)}`,
      )
  }

  #plain(schema: SchemaNode, value: unknown, path: string): void {
    if (schema.const !== undefined) {
      if (value !== schema.const)
        this.#report('shape', path, 'unknown_value', `must be ${describe(schema.const)}, but is ${describe(value)}`)
      return
    }
    if (!this.#isType(schema, value, path)) return
    if (typeof value === 'string') this.#string(schema, value, path)
    else if (typeof value === 'number') this.#number(schema, value, path)
    else if (Array.isArray(value)) {
      if (value.length < (schema.minItems ?? 0))
        this.#report(
          'publish',
          path,
          'empty',
          value.length ? `needs at least ${schema.minItems} entries` : 'is an empty list; add an entry or remove it',
        )
      const most = schema.maxItems ?? Number.POSITIVE_INFINITY
      if (value.length > most)
        this.#report('publish', path, 'too_long', `is a list of ${value.length}; at most ${most} are allowed`)
      else if (schema.items) for (const [i, item] of value.entries()) this.value(schema.items, item, pointer(path, i))
    } else if (typeof value === 'object' && value !== null) this.#object(schema, value as Record<string, unknown>, path)
  }

  #string(schema: SchemaNode, value: string, path: string): void {
    if (value === '' && (schema.minLength ?? 0) > 0) this.#report('publish', path, 'empty', 'is empty; enter a value')
    else if (value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY))
      this.#report(
        'publish',
        path,
        'too_long',
        `is ${value.length} characters long; at most ${schema.maxLength} are allowed`,
      )
    else if (schema.pattern && !patternOf(schema.pattern).test(value))
      this.#report('publish', path, 'invalid_format', `is ${describe(value)}; it must match ${schema.pattern}`)
    else if (schema['x-flow']) this.#visitor.flow?.(value, path)
    else if (schema['x-connection']) this.#visitor.connection(value, path, schema['x-connection'])
  }

  #number(schema: SchemaNode, value: number, path: string): void {
    const { minimum, maximum, exclusiveMinimum } = schema
    if (
      value < (minimum ?? Number.NEGATIVE_INFINITY) ||
      value > (maximum ?? Number.POSITIVE_INFINITY) ||
      value <= (exclusiveMinimum ?? Number.NEGATIVE_INFINITY)
    ) {
      const low =
        exclusiveMinimum !== undefined
          ? `more than ${exclusiveMinimum}`
          : minimum !== undefined
            ? `at least ${minimum}`
            : ''
      const high = maximum !== undefined ? `at most ${maximum}` : ''
      this.#report(
        'publish',
        path,
        'out_of_range',
        `is ${value}; it must be ${[low, high].filter(Boolean).join(' and ')}`,
      )
    }
  }

  #object(schema: SchemaNode, value: Record<string, unknown>, path: string): void {
    const properties = schema.properties ?? {}
    const every = Object.values(schema.patternProperties ?? {})[0]
    // Made once for all unknown keys, of which there may be thousands.
    let unused: string[] | null = null
    let others = ''
    for (const [key, item] of Object.entries(value)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : every
      if (property) this.value(property, item, pointer(path, key))
      else if (schema.additionalProperties === false) {
        if (unused === null) {
          unused = Object.keys(properties).filter((name) => !Object.hasOwn(value, name))
          others = possible(unused, schema.required ?? [])
        }
        const meant = this.#meant(key, unused) || others
        this.#report('shape', pointer(path, key), 'unknown_key', `is not a known key here${meant}; remove it`)
      }
    }
    for (const key of schema.required ?? []) {
      const hasDefault = properties[key]?.default !== undefined
      if (!Object.hasOwn(value, key) && !hasDefault)
        this.#report('publish', pointer(path, key), 'missing', `is missing${expected(properties[key])}`)
    }
  }

  #meant(value: unknown, known: unknown[]): string {
    const near = typeof value === 'string' ? nearest(value, known.map(String), this.#patience) : undefined
    return near ? ` (did you mean "${near}"?)` : ''
  }

  #isType(schema: SchemaNode, value: unknown, path: string): boolean {
    if (schema.type === undefined) return true
    const types = Array.isArray(schema.type) ? schema.type : [schema.type]
    const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    if (types.includes(actual)) return true
    if (types.includes('integer') && actual === 'number') {
      if (Number.isInteger(value)) return true
      this.#report('publish', path, 'out_of_range', `is ${String(value)}; it must be a whole number`)
      return false
    }
    const orTemplate = schema['x-template'] || schema['x-lazy'] ? ' or a {{ template }}' : ''
    this.#report('shape', path, 'wrong_type', `must be ${typeName(types[0]!)}${orTemplate}, but is ${describe(value)}`)
    return false
  }
}

const MOST_NAMED = 6

/** Names the keys that an object may have as well, those that it needs first. */
function possible(unused: readonly string[], required: readonly string[]): string {
  const names = [...new Set([...required.filter((name) => unused.includes(name)), ...unused])]
  if (names.length === 0) return ''
  return ` (there may be ${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''})`
}

/** Most values hold no template, and need no path. */
const mayHoldTemplate = (value: unknown): boolean =>
  typeof value === 'string' ? hasTemplate(value) : typeof value === 'object' && value !== null

const patterns = new Map<string, RegExp>()

/** Caches the patterns of the schemas, which are few. */
function patternOf(source: string): RegExp {
  const pattern = patterns.get(source) ?? new RegExp(source)
  patterns.set(source, pattern)
  return pattern
}

/** Returns what a pointer names, for the start of a sentence: its last key, with the list's name before a position. */
export function subject(path: string): string {
  if (path === '') return 'The document'
  // The search starts at the end, because a path may be long.
  const end = path.lastIndexOf('/')
  const last = shortened(path.slice(end + 1))
  if (!/^\d+$/.test(last)) return last
  return `${end > 0 ? shortened(path.slice(path.lastIndexOf('/', end - 1) + 1, end)) : ''}[${last}]`
}

const shortened = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name)

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const typeName = (type: string): string => TYPE_NAMES[type] ?? type

function expected(schema: SchemaNode | undefined): string {
  const options = schema?.anyOf?.map((option) => option.const).filter((value) => value !== undefined)
  if (options?.length) return `; choose one of ${options.join(', ')}`
  if (schema?.const !== undefined) return `; it must be ${describe(schema.const)}`
  return ''
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return `${value as string | number | boolean}`
}

function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined
}
