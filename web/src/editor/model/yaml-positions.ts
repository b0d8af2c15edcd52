// Where in a YAML text something stands, by its JSON Pointer.
import { isNode, isPair, parseDocument } from 'yaml'

export interface TextRange {
  from: number
  to: number
}

/** The value at each pointer, or the nearest thing around it that is there. */
export function yamlPositions(text: string, pointers: readonly string[]): Map<string, TextRange> {
  const document = parseDocument(text)
  const positions = new Map<string, TextRange>()
  for (const pointer of pointers) {
    const keys = pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    for (let length = keys.length; length >= 0; length--) {
      const range = rangeOf(document.getIn(keys.slice(0, length).map(asKey), true))
      if (!range) continue
      positions.set(pointer, range)
      break
    }
  }
  return positions
}

const asKey = (key: string): string | number => (/^\d+$/.test(key) ? Number(key) : key)

function rangeOf(node: unknown): TextRange | null {
  if (isPair(node)) return rangeOf(node.value)
  if (!isNode(node) || !node.range) return null
  return { from: node.range[0], to: node.range[1] }
}
