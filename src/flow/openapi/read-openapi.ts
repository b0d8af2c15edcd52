// Reads an OpenAPI description, JSON or YAML, and lists its operations.
import { FlowTextError, parseFlowText } from '../flow-text.ts'
import { parseJson } from '../json/parse-json.ts'
import { entriesAt, follow, isNode, type Node, own, textAt } from './document.ts'

export interface Operation {
  /** The name by which it is requested: `GET /orders/{id}`. */
  name: string
  method: string
  path: string
  operationId: string | null
  summary: string | null
}

export interface OpenApi {
  document: Node
  operations: Operation[]
}

export class OpenApiError extends Error {}

/** The largest public descriptions have about half this size. */
const LONGEST = 20_000_000
const DEEPEST = 250
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

export function readOpenApi(text: string): OpenApi {
  if (text.length > LONGEST) throw new OpenApiError(`It has more than ${LONGEST / 1_000_000} million characters.`)
  const document = parse(text)
  if (textAt(document, 'swagger') !== null)
    throw new OpenApiError('It is a description of Swagger 2.0. Convert it to OpenAPI 3 first.')
  if (!isNode(document) || !textAt(document, 'openapi')?.startsWith('3.'))
    throw new OpenApiError('It is not an OpenAPI 3 description: it has no "openapi: 3.…" at its top.')
  return { document, operations: operationsOf(document) }
}

/** Finds an operation by its operationId, or by method and path. */
export function findOperation({ operations }: OpenApi, wanted: string): Operation | null {
  const name = wanted.trim().replace(/^\S+/, (method) => method.toUpperCase())
  return (
    operations.find(({ operationId }) => operationId === wanted) ?? operations.find((one) => one.name === name) ?? null
  )
}

function parse(text: string): unknown {
  let value: unknown
  try {
    // Reading a large JSON text as YAML would take many times as long.
    value = /^\s*\{/.test(text) ? parseJson(text) : parseFlowText(text, 'taken')
  } catch (error) {
    if (error instanceof FlowTextError) throw new OpenApiError(`Line ${error.line}: ${error.message}`)
    throw new OpenApiError(`It is not valid JSON: ${(error as Error).message}`)
  }
  const { depth, values } = extentOf(value, DEEPEST, new Map())
  if (depth > DEEPEST) throw new OpenApiError(`It is nested more than ${DEEPEST} levels deep, or contains itself.`)
  if (values > LONGEST) throw new OpenApiError('Its aliases make it too large.')
  return value
}

interface Extent {
  depth: number
  values: number
}

const ONE_VALUE: Extent = { depth: 0, values: 1 }
const TOO_DEEP: Extent = { depth: Number.POSITIVE_INFINITY, values: 0 }

/** Returns the size with aliases written out; each value is visited once, however often it occurs. */
function extentOf(value: unknown, levels: number, known: Map<object, Extent>): Extent {
  if (typeof value !== 'object' || value === null) return ONE_VALUE
  if (levels === 0) return TOO_DEEP
  const seen = known.get(value)
  if (seen) return seen
  // Marks the value as being counted: a reference back to it means that it contains itself.
  known.set(value, TOO_DEEP)
  const extent = { depth: 1, values: 1 }
  for (const item of Object.values(value)) {
    const inner = extentOf(item, levels - 1, known)
    extent.depth = Math.max(extent.depth, inner.depth + 1)
    extent.values += inner.values
  }
  known.set(value, extent)
  return extent
}

function operationsOf(document: Node): Operation[] {
  return entriesAt(document, 'paths').flatMap(([path, given]) => {
    const item = follow(document, given)
    return METHODS.flatMap((method) => {
      const operation = own(item, method)
      if (!isNode(operation)) return []
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        operationId: textAt(operation, 'operationId'),
        summary: textAt(operation, 'summary'),
      }
    })
  })
}
