// The lines of a tree of data that are to be seen: children only of what is open, and not more than were asked for.
import { dataPath } from './data-path.ts'
import { fileDataOf } from './file-data.ts'

export interface DataRow {
  /** JSON Pointer; unique in the tree. */
  id: string
  kind: 'object' | 'list' | 'leaf' | 'more'
  depth: number
  /** Null at the root. */
  name: string | null
  /** The expression that reads this value. */
  path: string
  value: unknown
  /** Entries of an object or list; for 'more' those that are not shown. */
  count: number
  open: boolean
  /** Position among its siblings, from 1, and their number. */
  position: number
  siblings: number
}

export interface TreeState {
  /** What was opened or closed by hand. */
  toggled: ReadonlyMap<string, boolean>
  /** How many children are shown where more than a page was asked for. */
  shown: ReadonlyMap<string, number>
}

export const PAGE = 100

/** Containers down to this depth start open, if they and what they stand in are short. */
const OPEN_DEPTH = 2
const OPEN_COUNT = 20

const keyLists = new WeakMap<object, string[]>()

/** Objects with very many keys are asked for them once. */
function keysOf(value: object): string[] {
  let keys = keyLists.get(value)
  if (!keys) {
    keys = Object.keys(value)
    keyLists.set(value, keys)
  }
  return keys
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

export function dataRows(root: unknown, rootPath: string, state: TreeState): DataRow[] {
  const rows: DataRow[] = []
  const add = (
    value: unknown,
    place: Pick<DataRow, 'id' | 'depth' | 'name' | 'path' | 'position' | 'siblings'>,
  ): void => {
    if (!isContainer(value)) {
      rows.push({ ...place, kind: 'leaf', value, count: 0, open: false })
      return
    }
    const isList = Array.isArray(value)
    const count = isList ? value.length : keysOf(value).length
    const { id, depth } = place
    const short = depth === 0 || (depth < OPEN_DEPTH && count <= OPEN_COUNT && place.siblings <= OPEN_COUNT)
    // The line of a file says all that most people want to know.
    const open = count > 0 && (state.toggled.get(id) ?? (short && fileDataOf(value) === null))
    rows.push({ ...place, kind: isList ? 'list' : 'object', value, count, open })
    if (!open) return
    const shown = Math.min(count, state.shown.get(id) ?? PAGE)
    for (let i = 0; i < shown; i++) {
      const key = isList ? i : keysOf(value)[i]!
      add((value as Record<string | number, unknown>)[key], {
        id: `${id}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
        depth: depth + 1,
        name: String(key),
        path: dataPath(place.path, key),
        position: i + 1,
        siblings: count,
      })
    }
    if (shown < count)
      rows.push({
        id: `${id}/`,
        kind: 'more',
        depth: depth + 1,
        name: null,
        path: place.path,
        value: id,
        count: count - shown,
        open: false,
        position: shown + 1,
        siblings: count,
      })
  }
  add(root, { id: '', depth: 0, name: null, path: rootPath, position: 1, siblings: 1 })
  return rows
}
