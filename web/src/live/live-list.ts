// A list that pages were loaded of, and what happened to it since. Ids sort by time, so order is order by id.

export interface LiveList<T> {
  /** Newest first, as loaded. */
  loaded: readonly T[]
  /** The latest state of whatever changed since. */
  live: ReadonlyMap<string, T>
  matches: (item: T) => boolean
  /** Nothing older is left to load. */
  complete: boolean
  /** While somebody reads, what is newer than this is counted, not shown. */
  heldAbove: string | null
  /** Which of two states of the same thing is the later one: what was loaded, or what was told. */
  later: (loaded: T, told: T) => T
}

export interface Shown<T> {
  rows: T[]
  /** Newer ones that are held back. */
  unseen: number
}

export function mergeLive<T extends { id: string }>(list: LiveList<T>): Shown<T> {
  const { loaded, live, matches, complete, heldAbove, later } = list
  const held = (id: string) => heldAbove !== null && id > heldAbove
  const rows: T[] = []
  let unseen = 0
  const known = new Set<string>()
  for (const item of loaded) {
    known.add(item.id)
    const told = live.get(item.id)
    const state = told ? later(item, told) : item
    if (held(item.id)) {
      if (matches(state)) unseen++
      // The reader keeps the row in view, with its new state.
    } else if (heldAbove !== null || matches(state)) rows.push(state)
  }
  const oldest = loaded.at(-1)?.id
  const added: T[] = []
  for (const [id, item] of live) {
    if (known.has(id) || !matches(item)) continue
    // Older than what is loaded: it comes with its page.
    if (!complete && oldest !== undefined && id < oldest) continue
    if (held(id)) unseen++
    else added.push(item)
  }
  if (added.length === 0) return { rows, unseen }
  return { rows: [...added, ...rows].sort(newestFirst), unseen }
}

const newestFirst = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
