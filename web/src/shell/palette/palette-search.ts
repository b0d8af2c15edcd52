// What the palette finds. Entries keep the order of their groups: what can be done here comes first, the many flows last.

export interface PaletteEntry {
  id: string
  label: string
  description?: string
  /** Other words that people may look for it by. */
  keywords?: string
}

export interface PaletteGroup<T extends PaletteEntry> {
  name: string
  entries: T[]
  /** Whether the entries were found by the query already, and fit whatever they say. */
  isFound?: boolean
  /** How many are shown at most, with and without a query. */
  most?: { found: number; unasked: number }
}

export function searchPalette<T extends PaletteEntry>(groups: readonly PaletteGroup<T>[], query: string) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return groups
    .map(({ name, entries, most, isFound }) => ({
      name,
      entries: entries
        .filter((entry) => isFound || words.every((word) => textOf(entry).includes(word)))
        .slice(0, words.length === 0 ? most?.unasked : most?.found),
    }))
    .filter(({ entries }) => entries.length > 0)
}

const textOf = ({ label, description = '', keywords = '' }: PaletteEntry): string =>
  `${label} ${description} ${keywords}`.toLowerCase()

/** What an id that was pasted leads to; null: the query is none. */
export function placeOfId(query: string): { label: string; to: string } | null {
  const id = query.trim()
  const kind = /^(run|flow|dlv)_[0-9a-z]{26}$/.exec(id)?.[1]
  if (kind === 'run') return { label: `Open run ${id}`, to: `/runs/${id}` }
  if (kind === 'flow') return { label: `Open flow ${id}`, to: `/flows/${id}` }
  return kind === 'dlv' ? { label: `Open delivery ${id}`, to: `/inbox?delivery=${id}` } : null
}
