// A list that pages were loaded of, and what happened to it since. Ids sort by time, so order is order by id.

export interface LiveList<T> {
  /** Newest first, as loaded. */
  loaded: readonly T[]
  /** The latest state of whatever changed since. */
  live: ReadonlyMap<string, T>
  matches: (item: T) => boolean
  /** Nothing older is left to load. */
  complete: boolean
  /** What somebody reads: these rows stay, whatever is loaded meanwhile, and what is new is counted, not shown. */
  held: readonly T[] | null
  /** Which of two states of the same thing is the later one: what was loaded, or what was told. */
  later: (loaded: T, told: T) => T
}

export interface Shown<T> {
  rows: T[]
  /** Newer ones that are held back. */
  unseen: number
}

export function mergeLive<T extends { id: string }>(list: LiveList<T>): Shown<T> {
  const { loaded, live, matches, complete, held, later } = list
  const rows: T[] = []
  const known = new Set<string>()
  for (const item of loaded) {
    known.add(item.id)
    const told = live.get(item.id)
    const state = told ? later(item, told) : item
    // A row that is held keeps its place, also with a state that the filter would hide.
    if (held !== null || matches(state)) rows.push(state)
  }
  const oldest = loaded.at(-1)?.id
  const added: T[] = []
  for (const [id, item] of live) {
    if (known.has(id) || !matches(item)) continue
    // Older than what is loaded: it comes with its page.
    if (!complete && oldest !== undefined && id < oldest) continue
    added.push(item)
  }
  const all = added.length === 0 ? rows : [...added, ...rows].sort(newestFirst)
  return held === null ? { rows: all, unseen: 0 } : holding(held, all, list)
}

/** The held rows with their latest states, and the pages that were loaded below them. */
function holding<T extends { id: string }>(held: readonly T[], all: readonly T[], list: LiveList<T>): Shown<T> {
  const latest = new Map(all.map((item) => [item.id, item]))
  const rows = held.map((row) => {
    const known = latest.get(row.id) ?? list.live.get(row.id)
    return known ? list.later(row, known) : row
  })
  const ids = new Set(held.map(({ id }) => id))
  const last = held.at(-1)!.id
  let unseen = 0
  for (const item of all) {
    if (ids.has(item.id)) continue
    if (item.id < last) rows.push(item)
    else if (list.matches(item)) unseen++
  }
  return { rows, unseen }
}

const newestFirst = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
