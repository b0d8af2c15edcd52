// Reads a description from outside: its own properties only, and references that may lead anywhere.

export type Node = Readonly<Record<string, unknown>>

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const own = (node: unknown, key: string): unknown =>
  typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? (node as Node)[key] : undefined

export const textAt = (node: unknown, key: string): string | null => {
  const value = own(node, key)
  return typeof value === 'string' ? value : null
}

export const listAt = (node: unknown, key: string): unknown[] => {
  const value = own(node, key)
  return Array.isArray(value) ? value : []
}

export const entriesAt = (node: unknown, key: string): [string, unknown][] => {
  const value = own(node, key)
  return isNode(value) ? Object.entries(value) : []
}

const MOST_HOPS = 20

/** Returns the node, or the target of its $ref in the same document; undefined if that is a cycle, outside or missing. */
export function follow(document: unknown, node: unknown): unknown {
  let at = node
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const ref = textAt(at, '$ref')
    if (ref === null) return at
    at = ref.startsWith('#/')
      ? ref
          .slice(2)
          .split('/')
          .reduce<unknown>((from, part) => own(from, key(part)), document)
      : undefined
  }
  return undefined
}

function key(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
