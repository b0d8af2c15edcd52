// Undo and redo: the documents before and after each edit, with what the edit was called.

export interface History<T> {
  present: T
  past: readonly Entry<T>[]
  future: readonly Entry<T>[]
}

interface Entry<T> {
  document: T
  /** What undoing this brings back, or redoing it does again. */
  label: string
  /** Edits that follow each other with the same name within a moment are one: the letters of one word. */
  merge: string | null
  at: number
}

export interface EditName {
  label: string
  merge?: string
  /** Milliseconds. */
  at: number
}

const MOST = 200
const MOMENT_MS = 1_000

export const newHistory = <T>(present: T): History<T> => ({ present, past: [], future: [] })

export function edited<T>(history: History<T>, document: T, { label, merge, at }: EditName): History<T> {
  if (document === history.present) return history
  const last = history.past.at(-1)
  if (last && merge !== undefined && last.merge === merge && at - last.at < MOMENT_MS && !history.future.length)
    return { present: document, past: [...history.past.slice(0, -1), { ...last, at }], future: [] }
  const entry = { document: history.present, label, merge: merge ?? null, at }
  return { present: document, past: [...history.past, entry].slice(-MOST), future: [] }
}

export function undone<T>({ present, past, future }: History<T>): History<T> {
  const entry = past.at(-1)
  if (!entry) return { present, past, future }
  return {
    present: entry.document,
    past: past.slice(0, -1),
    future: [{ ...entry, document: present, merge: null }, ...future],
  }
}

export function redone<T>({ present, past, future }: History<T>): History<T> {
  const [entry, ...rest] = future
  if (!entry) return { present, past, future }
  return { present: entry.document, past: [...past, { ...entry, document: present }], future: rest }
}

export const undoLabel = (history: History<unknown>): string | null => history.past.at(-1)?.label ?? null
export const redoLabel = (history: History<unknown>): string | null => history.future[0]?.label ?? null
