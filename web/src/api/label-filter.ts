// A label as it stands in the URL and in the filter: order=7.

export type Label = readonly [name: string, value: string]

/** Returns null for what is no label. */
export function labelOf(text: unknown): Label | null {
  const found = typeof text === 'string' ? /^([a-z][a-z0-9_]*)=(.+)$/s.exec(text.trim()) : null
  return found ? [found[1]!, found[2]!] : null
}

export const labelText = (name: string, value: string): string => `${name}=${value}`

/** Returns the query by which the API finds it. */
export function labelQuery(text: string | undefined): Record<string, string> {
  const label = labelOf(text)
  return label ? { [`label.${label[0]}`]: label[1] } : {}
}

export function hasLabel(labels: Record<string, string> | null | undefined, text: string | undefined): boolean {
  const label = labelOf(text)
  return label === null || labels?.[label[0]] === label[1]
}
