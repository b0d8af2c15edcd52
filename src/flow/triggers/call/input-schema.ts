// Checks the JSON Schema of a flow's input. It is limited to keywords that take time in proportion to the input.
import { isObject } from '../../../base/is-object.ts'
import { pointer, quoted } from '../../issue.ts'

export interface SchemaProblem {
  /** A JSON Pointer into the schema. */
  path: string
  message: string
}

const LONGEST_SCHEMA = 65_536
const DEEPEST_SCHEMA = 32
/** The most schemas, counting what `$ref` leads to each time. */
const MOST_SCHEMAS = 2_000
const MOST_PROBLEMS = 50

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'])

type Shape = 'schema' | 'schemas' | 'named' | 'number' | 'count' | 'flag' | 'text' | 'names' | 'any' | 'list'
const KEYWORDS: Readonly<Record<string, Shape>> = {
  ...all('schema', 'items', 'additionalProperties', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'),
  ...all('schemas', 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...all('named', 'properties', 'dependentSchemas', '$defs'),
  ...all('number', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'),
  ...all('count', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...all('count', 'minContains', 'maxContains'),
  ...all('flag', 'uniqueItems', 'deprecated', 'readOnly', 'writeOnly'),
  ...all('text', '$schema', '$comment', '$ref', 'title', 'description', 'format'),
  ...all('text', 'contentEncoding', 'contentMediaType'),
  ...all('names', 'required'),
  ...all('list', 'enum', 'examples'),
  ...all('any', 'type', 'const', 'default', 'dependentRequired'),
}

function all(shape: Shape, ...keywords: string[]): Record<string, Shape> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, shape]))
}

const EXPECTED: Readonly<Record<Shape, string>> = {
  schema: 'a schema: an object, true or false',
  schemas: 'a list of schemas',
  named: 'an object of schemas',
  number: 'a number',
  count: 'a whole number of at least 0',
  flag: 'true or false',
  text: 'text',
  names: 'a list of names',
  list: 'a list',
  any: 'a value',
}

const REGEXES = new Set(['pattern', 'patternProperties'])

/** Returns why a schema cannot be used; nothing: it can. */
export function schemaProblems(schema: unknown): SchemaProblem[] {
  const text = JSON.stringify(schema) ?? ''
  if (text.length > LONGEST_SCHEMA)
    return [{ path: '', message: `The schema has ${text.length} characters; at most ${LONGEST_SCHEMA} are allowed.` }]
  const reader = new SchemaReader(schema)
  reader.read(schema, '', 1)
  if (reader.problems.length === 0 && reader.sizeOf(schema) > MOST_SCHEMAS)
    reader.problems.push({ path: '', message: `A schema is made of at most ${MOST_SCHEMAS} schemas, also by $ref.` })
  return reader.problems.slice(0, MOST_PROBLEMS)
}

class SchemaReader {
  readonly problems: SchemaProblem[] = []
  readonly #definitions: Record<string, unknown>
  readonly #sizes = new Map<unknown, number>()

  constructor(root: unknown) {
    const definitions = isObject(root) ? root['$defs'] : null
    this.#definitions = isObject(definitions) ? definitions : {}
  }

  #report(path: string, message: string): undefined {
    this.problems.push({ path, message })
  }

  read(schema: unknown, path: string, depth: number): undefined {
    if (typeof schema === 'boolean') return
    if (!isObject(schema)) return this.#report(path, `A schema must be ${EXPECTED.schema.slice('a schema: '.length)}.`)
    if (depth > DEEPEST_SCHEMA) return this.#report(path, `A schema is nested at most ${DEEPEST_SCHEMA} deep.`)
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(keyword, value, pointer(path, keyword), depth)
  }

  #keyword(keyword: string, value: unknown, path: string, depth: number): undefined {
    if (keyword.startsWith('x-')) return
    if (REGEXES.has(keyword))
      return this.#report(
        path,
        `${keyword} is not supported: an expression can take unbounded time. Use enum, maxLength or a step that checks.`,
      )
    const shape = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined
    if (!shape) return this.#report(path, `${quoted(keyword)} is not a keyword that is supported.`)
    if (!fits(shape, keyword, value)) return this.#report(path, `${keyword} must be ${expected(keyword, shape)}.`)
    if (shape === 'schema') this.read(value, path, depth + 1)
    if (shape === 'schemas')
      for (const [i, one] of (value as unknown[]).entries()) this.read(one, pointer(path, i), depth + 1)
    if (shape === 'named')
      for (const [name, one] of Object.entries(value as object)) this.read(one, pointer(path, name), depth + 1)
    if (keyword === '$ref') this.#reference(value as string, path)
  }

  #reference(ref: string, path: string): undefined {
    const name = definitionOf(ref)
    if (name === null || !Object.hasOwn(this.#definitions, name))
      return this.#report(path, '$ref must be "#/$defs/<name>", with a name that stands in $defs.')
    if (this.sizeOf(this.#definitions[name]) === Number.POSITIVE_INFINITY)
      this.#report(path, '$ref may not lead back to itself: schemas that contain themselves are not supported.')
  }

  /** Counts the schemas that can be applied; infinite if the schema contains itself. Expects keywords of the right shape. */
  sizeOf(schema: unknown): number {
    if (!isObject(schema)) return 1
    const known = this.#sizes.get(schema)
    if (known !== undefined) return known
    this.#sizes.set(schema, Number.POSITIVE_INFINITY)
    let size = 1
    for (const [keyword, value] of Object.entries(schema)) {
      const shape = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined
      if (keyword === '$defs') continue
      if (keyword === '$ref' && typeof value === 'string')
        size += this.sizeOf(this.#definitions[definitionOf(value) ?? ''])
      if (shape === 'schema') size += this.sizeOf(value)
      if ((shape === 'schemas' || shape === 'named') && typeof value === 'object' && value !== null)
        for (const one of Object.values(value)) size += this.sizeOf(one)
      if (shape === 'list' && Array.isArray(value)) size += value.length
      // Each name is looked for in each object.
      if (shape === 'names' && Array.isArray(value)) size += value.length
    }
    this.#sizes.set(schema, size)
    return size
  }
}

/** Returns the name in `#/$defs/<name>`. */
export const definitionOf = (ref: string): string | null => /^#\/\$defs\/([^/~%]+)$/.exec(ref)?.[1] ?? null

const isTypeName = (value: unknown): boolean => typeof value === 'string' && TYPES.has(value)
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string')

function fits(shape: Shape, keyword: string, value: unknown): boolean {
  if (keyword === 'type') return Array.isArray(value) ? value.length > 0 && value.every(isTypeName) : isTypeName(value)
  if (keyword === 'dependentRequired') return isObject(value) && Object.values(value).every(isNames)
  if (keyword === 'multipleOf') return typeof value === 'number' && value > 0
  switch (shape) {
    case 'schema':
      return isObject(value) || typeof value === 'boolean'
    case 'schemas':
      return Array.isArray(value) && value.length > 0
    case 'named':
      return isObject(value)
    case 'number':
      return typeof value === 'number'
    case 'count':
      return Number.isInteger(value) && (value as number) >= 0
    case 'flag':
      return typeof value === 'boolean'
    case 'text':
      return typeof value === 'string'
    case 'names':
      return isNames(value)
    case 'list':
      return Array.isArray(value)
    case 'any':
      return true
  }
}

function expected(keyword: string, shape: Shape): string {
  if (keyword === 'type') return `one or more of ${[...TYPES].join(', ')}`
  if (keyword === 'dependentRequired') return 'an object of lists of names'
  return keyword === 'multipleOf' ? 'a number above 0' : EXPECTED[shape]
}
