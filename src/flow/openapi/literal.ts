// Writes text of a description so that it stays data, even if it looks like a template.

export const literal = (text: string): string => text.replaceAll('{{', "{{ '{{' }}")

export function literalTree(value: unknown): unknown {
  if (typeof value === 'string') return literal(value)
  if (Array.isArray(value)) return value.map(literalTree)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, literalTree(item)]))
}
