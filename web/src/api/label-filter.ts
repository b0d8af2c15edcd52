// Labels as they stand in the URL and in the filter of a list: order=7, or a list of such.

export type Label = readonly [name: string, value: string]

/** One label, or several that all have to be there. */
export type LabelFilter = string | readonly string[]

/** Returns null for what is no label. */
export function labelOf(text: unknown): Label | null {
  const found = typeof text === 'string' ? /^([a-z][a-z0-9_]*)=(.+)$/s.exec(text.trim()) : null
  return found ? [found[1]!, found[2]!] : null
}

export const labelText = (name: string, value: string): string => `${name}=${value}`

/** Returns the labels that are understood, one for each name: the last of it. */
export function labelsOf(filter: unknown): Label[] {
  const labels = [filter].flat().map(labelOf)
  return [...new Map(labels.filter((label) => label !== null))]
}

/** Returns the filter in its shortest form; undefined: there is none. */
export function labelFilter(filter: unknown): LabelFilter | undefined {
  const texts = labelsOf(filter).map(([name, value]) => labelText(name, value))
  return texts.length > 1 ? texts : texts[0]
}

/** Returns the query by which the API finds them. */
export const labelQuery = (filter: LabelFilter | undefined): Record<string, string> =>
  Object.fromEntries(labelsOf(filter).map(([name, value]) => [`label.${name}`, value]))

export const hasLabels = (
  labels: Record<string, string> | null | undefined,
  filter: LabelFilter | undefined,
): boolean => labelsOf(filter).every(([name, value]) => labels?.[name] === value)
