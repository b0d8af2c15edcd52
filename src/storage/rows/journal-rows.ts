// What the journals of both databases share: the replay of entries, and the paths of loops.
import type { JournalEntry } from '../../engine/ports/run-journal.ts'
import type { KeyValueResult } from '../../operations/ports/runs.ts'

/** Returns the paths of the steps that contain a step. */
export function pathsAround(path: string): string[] {
  return [...path.matchAll(/[/[#]/g)].map((match) => path.slice(0, match.index))
}

/** Returns an entry as a replay takes it over; null if the replay does not. */
export function replayed(entry: JournalEntry, around: ReadonlySet<string>): JournalEntry | null {
  // A step that contains one that runs again continues with its earlier decision.
  if (around.has(entry.path))
    return {
      ...entry,
      status: 'running',
      outcome: null,
      output: null,
      shown: undefined,
      error: null,
      finishedAt: null,
      resumeAt: null,
    }
  return entry.outcome && entry.outcome !== 'wait' && entry.outcome !== 'call' ? entry : null
}

/** Writes the result of an operation on durable keys into the entry that journals it. */
export function settleOperation(entry: JournalEntry, result: KeyValueResult): void {
  if ('output' in result)
    Object.assign(entry, { output: result.output, error: null, outcome: 'done', status: 'succeeded' })
  else {
    // The message of the error names the key, which may be a secret.
    const error = entry.shown ? { ...result.error, message: String(entry.shown.output) } : result.error
    Object.assign(entry, { error, outcome: 'failed', status: 'failed' })
  }
}

/** Returns the index of the round whose entry has this path under `base`; null if it is not the entry of a round. */
export function roundIndex(path: string, base: string): number | null {
  const index = Number(path.slice(base.length + 1, -1))
  return Number.isInteger(index) ? index : null
}

/** Returns the range of keys that holds all rounds under `base`: from `[` to the character after it. */
export const roundsUnder = (base: string): [from: string, to: string] => [`${base}[`, `${base}\\`]

/** Returns whether the entry is not from a loop inside the round, which keeps the results of its rounds to itself. */
export const isOfOwnRound = (path: string, base: string): boolean =>
  !path.slice(path.indexOf(']', base.length)).includes('[')

/** Returns the range of keys under the prefix: up to the character after the slash that ends it. */
export const entriesUnder = (prefix: string): [from: string, to: string] => [prefix, `${prefix.slice(0, -1)}0`]

/**
 * Returns the last entry of each path: it replaces earlier ones, and to write their rows only to replace them would change more pages.
 * On PostgreSQL one statement can write a row only once.
 */
export function latestOfEachPath(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  if (entries.length < 2) return entries
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()]
}
