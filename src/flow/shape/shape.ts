// Infers the shape of data from samples: the keys, their types, and which keys are not always present.

export type ShapeType = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'object'

export interface Shape {
  /** The number of values seen here, and the number of objects among them. */
  seen: number
  objects: number
  types: Set<ShapeType>
  /** The shapes of the objects' keys. */
  keys: Map<string, Shape>
  /** The shape of the lists' items; null: none had any. */
  items: Shape | null
  /** Only a part was read: a value that was not seen may still exist. */
  partial: boolean
}

/** The limit per list and per object. */
const MOST_ITEMS = 100
const MOST_KEYS = 1_000
const DEEPEST = 20
/** The limit in total: samples may be large, and a user waits for the result. */
const MOST_VALUES = 200_000

export function inferShape(samples: readonly unknown[]): Shape {
  const shape = emptyShape()
  const budget = { values: MOST_VALUES }
  for (const sample of samples) add(shape, sample, 0, budget)
  return shape
}

const emptyShape = (): Shape => ({
  seen: 0,
  objects: 0,
  types: new Set(),
  keys: new Map(),
  items: null,
  partial: false,
})

function add(shape: Shape, value: unknown, depth: number, budget: { values: number }): void {
  shape.seen++
  const type = typeOf(value)
  shape.types.add(type)
  if (type === 'list') {
    const list = value as unknown[]
    const items = looked(shape, list, MOST_ITEMS, depth, budget)
    if (items.length) shape.items ??= emptyShape()
    for (const item of items) add(shape.items!, item, depth + 1, budget)
    // The keys of the other items are unknown.
    if (shape.items && items.length < list.length) shape.items.partial = true
  } else if (type === 'object') {
    shape.objects++
    const keys = Object.keys(value as object)
    for (const key of looked(shape, keys, MOST_KEYS, depth, budget)) {
      const child = shape.keys.get(key) ?? emptyShape()
      shape.keys.set(key, child)
      add(child, (value as Record<string, unknown>)[key], depth + 1, budget)
    }
  }
}

/** Returns as many of the items as may be read. */
function looked<T>(
  shape: Shape,
  all: readonly T[],
  most: number,
  depth: number,
  budget: { values: number },
): readonly T[] {
  const count = depth === DEEPEST ? 0 : Math.min(all.length, most, budget.values)
  budget.values -= count
  if (count < all.length) shape.partial = true
  return all.slice(0, count)
}

function typeOf(value: unknown): ShapeType {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  return typeof value === 'object' ? 'object' : typeof value === 'number' ? 'number' : 'boolean'
}

export type Lookup =
  | { kind: 'seen'; shape: Shape }
  /** No sample tells what is there. */
  | { kind: 'unknown' }
  /** There are samples, and none has the key at `index`. */
  | { kind: 'unseen'; index: number; among: Shape }

const INDEX = /^\d+$/

export function lookUp(shape: Shape, path: readonly string[]): Lookup {
  let at = shape
  for (const [index, key] of path.entries()) {
    const { types, keys, items, partial } = at
    const isIndex = INDEX.test(key)
    const item = types.has('list') && isIndex ? items : null
    // Some samples have lists and others such a key: either may be meant.
    if (item && keys.has(key)) return { kind: 'unknown' }
    const next = keys.get(key) ?? item
    if (next) {
      at = next
      continue
    }
    const isOfList = types.has('list') || types.has('text') ? isIndex || key === 'length' : false
    const isKnown = [...types].some((type) => type !== 'null')
    return partial || isOfList || !isKnown ? { kind: 'unknown' } : { kind: 'unseen', index, among: at }
  }
  return { kind: 'seen', shape: at }
}
