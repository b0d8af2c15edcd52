// The lines of the data picker: what a field can refer to, each with the expression that reads it and what it is now.
import { segments } from '../flow-model/templates/sample-data.ts'
import { dataPath } from '../ui/data/data-path.ts'
import { fileDataOf } from '../ui/data/file-data.ts'
import { formatBytes, plural } from '../ui/format.ts'

export interface PickRoot {
  /** The expression that reads it: `webhook`, `steps.order`. */
  path: string
  value: unknown
}

export interface PickRow {
  /** Unique in the list. */
  id: string
  depth: number
  name: string
  /** Null for what only holds others. */
  path: string | null
  /** The value in a few words. */
  shown: string
  opens: boolean
  open: boolean
}

interface Node {
  id: string
  name: string
  path: string | null
  shown: string
  children: () => Node[]
  opens: boolean
  /** Starts closed although it is near the top: one seldom wants it. */
  folded: boolean
}

const MOST_CHILDREN = 200
const MOST_ITEMS = 20
const OPEN_DEPTH = 2
const LONGEST = 80

/** Of a request or a reply: what most people do not look for. */
const FOLDED = new Set(['headers', 'rawBody', 'queryAll', 'metadata', 'headersAll', 'cookies'])
/** What one looks for comes first. */
const FIRST = ['body', 'item', 'status', 'query']

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

export function pickRows(roots: readonly PickRoot[], toggled: ReadonlyMap<string, boolean>): PickRow[] {
  const rows: PickRow[] = []
  const add = (node: Node, depth: number) => {
    const open = node.opens && (toggled.get(node.id) ?? (depth < OPEN_DEPTH && !node.folded))
    const { id, name, path, shown, opens } = node
    rows.push({ id, depth, name, path, shown, opens, open })
    if (open) for (const child of node.children()) add(child, depth + 1)
  }
  for (const root of roots) add(rootNode(root), 0)
  return rows
}

const MOST_VISITED = 5_000
const MOST_FOUND = 100

/** Everything whose path or value holds the text, as a flat list. */
export function searchPickRows(roots: readonly PickRoot[], text: string): PickRow[] {
  const wanted = text.toLowerCase()
  const rows: PickRow[] = []
  let left = MOST_VISITED
  const visit = (node: Node) => {
    if (left-- <= 0 || rows.length >= MOST_FOUND) return
    const { id, path, shown } = node
    if (path !== null && `${path} ${node.opens ? '' : shown}`.toLowerCase().includes(wanted))
      rows.push({ id, depth: 0, name: path, path, shown, opens: false, open: false })
    for (const child of node.children()) visit(child)
  }
  for (const root of roots) visit(rootNode(root))
  return rows
}

/** Paths of single values, for suggestions. */
export function leafPaths(roots: readonly PickRoot[]): string[] {
  return searchPickRows(roots, '')
    .filter(({ shown }) => !/^\d[\d,]* (?:items?|keys?)$/.test(shown))
    .map(({ path }) => path!)
}

const rootNode = ({ path, value }: PickRoot): Node => ({ ...nodeOf(path, path, path, value), folded: path === 'run' })

function nodeOf(id: string, name: string, path: string, value: unknown): Node {
  const children = () => (Array.isArray(value) ? listChildren(id, path, value) : objectChildren(id, path, value))
  return {
    id,
    name,
    path,
    shown: shownValue(value),
    children,
    opens: isContainer(value) && Object.keys(value).length > 0,
    folded: Array.isArray(value) || FOLDED.has(name) || fileDataOf(value) !== null,
  }
}

function objectChildren(id: string, path: string, value: unknown): Node[] {
  if (!isContainer(value)) return []
  const rank = (key: string) => (FOLDED.has(key) ? 2 : FIRST.includes(key) ? 0 : 1)
  return Object.entries(value)
    .slice(0, MOST_CHILDREN)
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([key, item]) => nodeOf(`${id}/${key}`, key, dataPath(path, key), item))
}

/** The first item and, of a list of objects, one property of each; then the other items. */
function listChildren(id: string, path: string, list: unknown[]): Node[] {
  if (list.length === 0) return []
  const first = { ...nodeOf(`${id}/first`, 'first', `${path}[0]`, list[0]), folded: false }
  const others = list
    .slice(1, MOST_ITEMS)
    .map((item, i) => nodeOf(`${id}/${i + 1}`, String(i + 1), `${path}[${i + 1}]`, item))
  const each = isContainer(list[0]) && !Array.isArray(list[0]) ? [eachNode(id, path, list)] : []
  return [first, ...each, ...others]
}

function eachNode(id: string, path: string, list: unknown[]): Node {
  const keys = Object.keys(list[0] as object).slice(0, MOST_CHILDREN)
  const children = () =>
    keys.map((key): Node => {
      const values = list.slice(0, 3).map((item) => (isContainer(item) ? (item as Record<string, unknown>)[key] : null))
      return {
        id: `${id}/each/${key}`,
        name: key,
        path: `${path}.map((item) => ${dataPath('item', key)})`,
        shown: shortened(`${values.map((value) => shownValue(value)).join(', ')}${list.length > 3 ? ', …' : ''}`),
        children: () => [],
        opens: false,
        folded: false,
      }
    })
  return {
    id: `${id}/each`,
    name: 'each',
    path: null,
    shown: 'one value per item',
    children,
    opens: true,
    folded: false,
  }
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return plural(value.length, 'item')
  const file = fileDataOf(value)
  if (file) return shortened(`${file.name ?? 'unnamed file'}, ${formatBytes(file.size)}`)
  if (isContainer(value)) return plural(Object.keys(value).length, 'key')
  if (typeof value !== 'string') return String(value)
  const texts = segments(value.slice(0, LONGEST * 2)).map(({ text }) => text)
  return shortened(texts.join(''))
}

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
