// Settings, whatever they hold, as words on a card.

/** Without its braces, where it is one expression. */
export function bare(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} items`
  const text = textOf(value)
  const [, inside] = /^\s*\{\{\s*([\s\S]*?)\s*\}\}\s*$/.exec(text) ?? []
  return inside !== undefined && !inside.includes('{{') ? inside : text
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
