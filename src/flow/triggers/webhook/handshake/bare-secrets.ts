// Finds what a template gives away of secrets: anyone who has the URL gets the reply of a handshake.
import { type Expression as Node, parseExpressionAt } from 'acorn'
import { type Template, TemplateSyntaxError, tryTemplate } from '../../../expression/index.ts'

const ONE_WAY: readonly unknown[] = ['hmacSha256', 'hmacSha512', 'sha256']

/** Returns whether a template names one of the roots other than inside a function whose result does not tell it. */
export function hasBareSecret(source: string, isSecret: (root: string, name: string | null) => boolean): boolean {
  const template: Template | TemplateSyntaxError = tryTemplate(source)
  // Another check reports what cannot be parsed.
  if (template instanceof TemplateSyntaxError) return false
  return template.parts.some((part) => typeof part !== 'string' && isBare(parsed(part.source), isSecret))
}

const parsed = (source: string): Node => parseExpressionAt(source, 0, { ecmaVersion: 2024, sourceType: 'module' })

type Visited = Record<string, unknown> & { type: string }

const isNode = (value: unknown): value is Visited =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

function isBare(tree: unknown, isSecret: (root: string, name: string | null) => boolean): boolean {
  // A list of what is left to visit: the depth of an expression is up to its author.
  const open: unknown[] = [tree]
  while (open.length) {
    const node = open.pop()
    if (Array.isArray(node)) open.push(...(node as unknown[]))
    if (!isNode(node)) continue
    if (node.type === 'Identifier') {
      if (isSecret(String(node['name']), null)) return true
      continue
    }
    const { object, property, computed } = node
    if (node.type === 'MemberExpression' && isNode(object) && object.type === 'Identifier' && isNode(property)) {
      if (isSecret(String(object['name']), nameOf(property, computed === true))) return true
      if (computed) open.push(property)
      continue
    }
    const callee = node['callee']
    if (node.type === 'CallExpression' && isNode(callee) && ONE_WAY.includes(callee['name'])) continue
    for (const [key, value] of Object.entries(node))
      if (!((key === 'property' || key === 'key') && computed !== true)) open.push(value)
  }
  return false
}

/** Returns null if the name is computed. */
function nameOf(property: Visited, computed: boolean): string | null {
  if (!computed) return String(property['name'])
  return property.type === 'Literal' ? String(property['value']) : null
}
