// What data is like rather than what it is: for a table its rows and columns, for a schema its fields and their types.
import { dataPath } from './data-path.ts'

export interface TableData {
  /** The expression that reads the list. */
  path: string
  columns: string[]
  rows: Record<string, unknown>[]
}

const MOST_COLUMNS = 30
const LOOKED_AT = 100

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The list of objects that the data is, or that stands in it near the top; null where there is none. */
export function tableOf(value: unknown, path: string, depth = 0): TableData | null {
  if (Array.isArray(value)) {
    if (value.length === 0 || !value.slice(0, LOOKED_AT).every(isObject)) return null
    const rows = value.filter(isObject)
    const columns = new Set<string>()
    for (const row of rows.slice(0, LOOKED_AT))
      for (const key of Object.keys(row)) if (columns.size < MOST_COLUMNS) columns.add(key)
    return { path, columns: [...columns], rows }
  }
  if (!isObject(value) || depth > 1) return null
  for (const [key, item] of Object.entries(value).slice(0, LOOKED_AT)) {
    const found = tableOf(item, dataPath(path, key), depth + 1)
    if (found) return found
  }
  return null
}

export interface SchemaRow {
  id: string
  depth: number
  name: string
  /** `text`, `number or null`. */
  type: string
  /** Not in every item of its list. */
  optional: boolean
  example: string
}

interface Shape {
  types: Set<string>
  example: string
  seen: number
  keys: Map<string, Shape>
  item: Shape | null
}

const MOST_VISITED = 5_000
const MOST_ROWS = 300
const DEEPEST = 12

const newShape = (): Shape => ({ types: new Set(), example: '', seen: 0, keys: new Map(), item: null })

export function schemaRows(value: unknown, name: string): SchemaRow[] {
  const root = newShape()
  let left = MOST_VISITED
  const learn = (shape: Shape, seen: unknown, depth: number) => {
    if (left-- <= 0 || depth > DEEPEST) return
    shape.seen++
    shape.types.add(typeOf(seen))
    if (Array.isArray(seen)) {
      shape.item ??= newShape()
      for (const item of seen.slice(0, LOOKED_AT)) learn(shape.item, item, depth + 1)
    } else if (isObject(seen))
      for (const [key, item] of Object.entries(seen)) {
        const known = shape.keys.get(key) ?? newShape()
        shape.keys.set(key, known)
        learn(known, item, depth + 1)
      }
    else if (shape.example === '') shape.example = String(seen).slice(0, 80)
  }
  learn(root, value, 0)
  const rows: SchemaRow[] = []
  const add = (shape: Shape, id: string, label: string, depth: number, optional: boolean) => {
    if (rows.length >= MOST_ROWS) return
    rows.push({ id, depth, name: label, type: [...shape.types].join(' or '), optional, example: shape.example })
    for (const [key, inner] of shape.keys) add(inner, `${id}/${key}`, key, depth + 1, inner.seen < shape.seen)
    if (shape.item && shape.item.seen > 0) add(shape.item, `${id}[]`, 'each item', depth + 1, false)
  }
  add(root, '', name, 0, false)
  return rows
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}
