// The elements that are lists however often they come: paths such as `order.item`, as a tree.

/** How XML is to be parsed. */
export interface XmlParsing {
  lists: readonly string[]
}

export interface ListNode {
  /** Whether the element itself is a list. */
  isList: boolean
  children: ReadonlyMap<string, ListNode>
}

/** The most paths that a flow names. */
export const MOST_LISTS = 100

interface GrowingNode extends ListNode {
  children: Map<string, GrowingNode>
}

const newNode = (): GrowingNode => ({ isList: false, children: new Map() })

/** Returns null for no paths, as for most documents. */
export function listTree(paths: readonly string[] | undefined): ListNode | null {
  if (!paths?.length) return null
  const root = newNode()
  for (const path of paths) {
    let node = root
    for (const name of path.split('.')) {
      const next = node.children.get(name) ?? newNode()
      node.children.set(name, next)
      node = next
    }
    node.isList = true
  }
  return root
}

/** Returns the node of a child element. A name may have dots itself. */
export function childNode(node: ListNode | null, name: string): ListNode | null {
  if (node === null) return null
  const found = node.children.get(name)
  if (found || !name.includes('.')) return found ?? null
  let at: ListNode | undefined = node
  for (const part of name.split('.')) at = at?.children.get(part)
  return at ?? null
}
