// Finds a value for a parameter or a body: an example of the description, or one made from the schema.
import { entriesAt, follow, isNode, listAt, type Node, own } from './document.ts'

export const NOTHING = Symbol('nothing')

/** Returns the example that the description gives for a parameter or for one type of a body. */
export function givenExample(document: Node, of: unknown): unknown {
  const example = own(of, 'example')
  if (example !== undefined) return example
  for (const [, named] of entriesAt(of, 'examples')) {
    const value = own(follow(document, named), 'value')
    if (value !== undefined) return value
  }
  return schemaExample(follow(document, own(of, 'schema')))
}

/** Returns a value that the schema itself suggests. */
export function schemaExample(schema: unknown): unknown {
  for (const value of [
    own(schema, 'example'),
    listAt(schema, 'examples')[0],
    own(schema, 'default'),
    own(schema, 'const'),
  ])
    if (value !== undefined) return value
  return listAt(schema, 'enum')[0] ?? NOTHING
}

const DEEPEST = 12
const MOST_NODES = 2_000

/** Builds a value with the required fields, or with all if none is required; values without a description are empty. */
export class Skeleton {
  /** The fields that were left out. */
  readonly optional: string[] = []
  readonly #document: Node
  #nodes = 0

  constructor(document: Node) {
    this.#document = document
  }

  of(schema: unknown, name = '', around: readonly unknown[] = []): unknown {
    const node = follow(this.#document, schema)
    if (around.includes(node) || around.length > DEEPEST || ++this.#nodes > MOST_NODES) return NOTHING
    const example = schemaExample(node)
    if (example !== NOTHING) return example
    const inside = [...around, node]
    const parts = this.#parts(node, inside)
    const properties = new Map(parts.flatMap((part) => entriesAt(part, 'properties')))
    if (properties.size) return this.#object(parts, properties, name, inside)
    const option = [...listAt(node, 'oneOf'), ...listAt(node, 'anyOf'), ...listAt(node, 'allOf')].find(
      (one) => own(follow(this.#document, one), 'type') !== 'null',
    )
    if (option !== undefined) return this.of(option, name, inside)
    if (own(node, 'items') !== undefined) {
      const item = this.of(own(node, 'items'), name, inside)
      return item === NOTHING ? [] : [item]
    }
    return emptyOf(node)
  }

  /** Returns a schema and all that it is composed of. */
  #parts(node: unknown, around: readonly unknown[]): unknown[] {
    const all = listAt(node, 'allOf').map((part) => follow(this.#document, part))
    const fresh = all.filter(
      (part) => !around.includes(part) && around.length <= DEEPEST && ++this.#nodes <= MOST_NODES,
    )
    return [node, ...fresh.flatMap((part) => this.#parts(part, [...around, part]))]
  }

  #object(parts: unknown[], properties: Map<string, unknown>, name: string, around: readonly unknown[]): unknown {
    const required = new Set(parts.flatMap((part) => listAt(part, 'required')))
    const entries: [string, unknown][] = []
    for (const [key, property] of properties) {
      if (own(follow(this.#document, property), 'readOnly') === true) continue
      const full = name === '' ? key : `${name}.${key}`
      if (required.size && !required.has(key)) {
        this.optional.push(full)
        continue
      }
      const value = this.of(property, full, around)
      if (value !== NOTHING) entries.push([key, value])
    }
    return Object.fromEntries(entries)
  }
}

function emptyOf(schema: unknown): unknown {
  const given = own(schema, 'type')
  const type = Array.isArray(given) ? given.find((one) => one !== 'null') : given
  if (type === 'string') return ''
  if (type === 'number' || type === 'integer') return own(schema, 'minimum') ?? 0
  if (type === 'boolean') return false
  if (type === 'array') return []
  return type === 'object' || (type === undefined && isNode(own(schema, 'additionalProperties'))) ? {} : null
}
