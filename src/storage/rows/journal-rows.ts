// What the journals of both databases share: how entries are replayed, and what of a run is sealed to what.
import type { JournalEntry } from '../../engine/ports/run-journal.ts'
import type { KeyValueResult } from '../../operations/ports/runs.ts'

/** The paths of the steps that a step stands inside of. */
export function pathsAround(path: string): string[] {
  return [...path.matchAll(/[/[#]/g)].map((match) => path.slice(0, match.index))
}

/** An entry as a replay takes it over; null where it does not. */
export function replayed(entry: JournalEntry, around: ReadonlySet<string>): JournalEntry | null {
  // What is around something that is done anew goes on with what it had decided.
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
  return entry.outcome && entry.outcome !== 'wait' ? entry : null
}

/** Puts what an operation on a flow's keys came to into the entry that journals it. */
export function settleOperation(entry: JournalEntry, result: KeyValueResult): void {
  if ('output' in result)
    Object.assign(entry, { output: result.output, error: null, outcome: 'done', status: 'succeeded' })
  else {
    // It names the key.
    const error = entry.shown ? { ...result.error, message: String(entry.shown.output) } : result.error
    Object.assign(entry, { error, outcome: 'failed', status: 'failed' })
  }
}

/** The index of the round whose entry stands at this path under `base`; null: it is no entry of a round. */
export function roundIndex(path: string, base: string): number | null {
  const index = Number(path.slice(base.length + 1, -1))
  return Number.isInteger(index) ? index : null
}

/** The keys between which all rounds under `base` stand: `[` and the character after it. */
export const roundsUnder = (base: string): [from: string, to: string] => [`${base}[`, `${base}\\`]

/** A loop inside keeps the results of its rounds to itself. */
export const isOfOwnRound = (path: string, base: string): boolean =>
  !path.slice(path.indexOf(']', base.length)).includes('[')

/** Up to the next character after the slash that ends the prefix. */
export const entriesUnder = (prefix: string): [from: string, to: string] => [prefix, `${prefix.slice(0, -1)}0`]
