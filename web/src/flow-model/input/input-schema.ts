// The input of a called flow as a form: which fields its JSON Schema asks for, and what was typed into them.
import { isObject } from '../is-object.ts'

export interface InputField {
  name: string
  label: string
  description: string | null
  required: boolean
  kind: 'text' | 'choice' | 'number' | 'switch' | 'json'
  /** Of a choice: its values. */
  choices: readonly unknown[]
  /** Of a number: whether it is whole. */
  whole: boolean
  /** What the schema says holds without it. */
  standard: unknown
}

/** What was typed, by the name of the field; as JSON text for fields of the kind `json`. */
export type TypedInput = Readonly<Record<string, unknown>>

const MOST_FIELDS = 50

/** Returns the fields of an object's schema; null if there is no form for it, so that its input is typed as JSON. */
export function inputFields(schema: unknown): InputField[] | null {
  if (!isObject(schema) || schema['type'] !== 'object' || !isObject(schema['properties'])) return null
  const entries = Object.entries(schema['properties'])
  if (entries.length === 0 || entries.length > MOST_FIELDS) return null
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return entries.map(([name, node]) => fieldOf(name, resolved(schema, node), required.includes(name)))
}

function resolved(schema: Record<string, unknown>, node: unknown): Record<string, unknown> {
  const defs = schema['$defs']
  const ref = isObject(node) && typeof node['$ref'] === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(node['$ref']) : null
  const found = ref && isObject(defs) && Object.hasOwn(defs, ref[1]!) ? defs[ref[1]!] : node
  return isObject(found) ? found : {}
}

function fieldOf(name: string, node: Record<string, unknown>, required: boolean): InputField {
  const text = (key: string) => (typeof node[key] === 'string' ? node[key] : null)
  const { type } = node
  const choices = Array.isArray(node['enum']) ? node['enum'] : []
  const kind = choices.length
    ? 'choice'
    : type === 'string'
      ? 'text'
      : type === 'number' || type === 'integer'
        ? 'number'
        : type === 'boolean'
          ? 'switch'
          : 'json'
  return {
    name,
    label: text('title') ?? name,
    description: text('description'),
    required,
    kind,
    choices,
    whole: type === 'integer',
    standard: node['default'],
  }
}

/** Thrown if a field does not hold JSON. */
export class NotJson extends Error {
  readonly field: string
  constructor(field: string, message: string) {
    super(`This is not JSON: ${message}`)
    this.field = field
  }
}

/** Returns the input that was typed. What is empty is left out. */
export function typedInput(fields: readonly InputField[], typed: TypedInput): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const field of fields) {
    const value = typed[field.name]
    // A required text may be empty; an optional one that is empty is not there.
    if (value === undefined || value === null || (value === '' && !(field.required && field.kind === 'text'))) continue
    const parsed = field.kind === 'json' && typeof value === 'string' ? parsedJson(field.name, value) : value
    // Names come from the schema: `__proto__` is a name like others.
    Object.defineProperty(input, field.name, { value: parsed, enumerable: true, writable: true, configurable: true })
  }
  return input
}

/** `field` is empty for an input that is JSON as a whole. */
export function parsedJson(field: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new NotJson(field, (error as Error).message)
  }
}

/** Returns an input as the schema describes it, to begin a test with. */
export function exampleInput(schema: unknown): unknown {
  const fields = inputFields(schema)
  if (!fields) return isObject(schema) && schema['type'] === 'object' ? {} : null
  return Object.fromEntries(fields.filter(({ required }) => required).map((field) => [field.name, exampleOf(field)]))
}

function exampleOf({ kind, choices, standard }: InputField): unknown {
  if (standard !== undefined) return standard
  if (kind === 'choice') return choices[0]
  return { text: 'text', number: 1, switch: false, json: null }[kind]
}
