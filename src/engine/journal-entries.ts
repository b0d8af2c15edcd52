// Entries of the journal as the walk makes them, and what they show to later steps.
import { isObject } from '../base/is-object.ts'
import type { CompiledStep } from '../flow/compile.ts'
import type { JournalEntry, RunError } from './ports/run-journal.ts'
import type { Roots } from './run-scope.ts'
import type { Outcome, StepKind } from './step-kind.ts'

/** A step that begins; `earlier`: what an earlier claim recorded of it. */
export function newEntry(
  step: CompiledStep<StepKind>,
  path: string,
  earlier: JournalEntry | undefined,
  nextSeq: () => number,
  now: () => number,
): JournalEntry {
  const retried = earlier?.status === 'waiting'
  return {
    path,
    id: step.id,
    kind: step.kind.kind,
    seq: earlier?.seq ?? nextSeq(),
    status: 'running',
    attempt: (earlier?.attempt ?? 1) + (retried ? 1 : 0),
    startedAt: earlier?.startedAt ?? now(),
    finishedAt: null,
    outcome: null,
    decision: retried ? null : (earlier?.decision ?? null),
    resumeAt: null,
    input: null,
    output: null,
    error: null,
    logs: null,
  }
}

export function closeEntry(
  entry: JournalEntry,
  outcome: Exclude<JournalEntry['outcome'], 'wait' | null>,
  finishedAt: number,
): JournalEntry {
  return Object.assign(entry, {
    finishedAt,
    resumeAt: null,
    outcome,
    status: outcome === 'failed' ? 'failed' : 'succeeded',
  })
}

/** It goes on at that time: a wait with its output, or another attempt. */
export function parkEntry(entry: JournalEntry, resumeAt: number, outcome: 'wait' | null, left: Outcome): JournalEntry {
  const output = 'output' in left ? (left.output ?? null) : null
  Object.assign(entry, { status: 'waiting', resumeAt, outcome, output })
  if ('shown' in left) entry.shown = left.shown
  return entry
}

/** Lets templates of later steps see what came of a step. */
export function exposeOutput(entry: JournalEntry, roots: Roots): void {
  const steps = roots['steps'] as Record<string, unknown>
  steps[entry.id] = entry.error
    ? { ...(isObject(entry.output) ? entry.output : null), error: entry.error }
    : entry.output
}

/** Each attempt of a step that runs others has its own places for them in the journal. */
export const nestedBase = (entry: JournalEntry): string =>
  entry.attempt === 1 ? entry.path : `${entry.path}#${entry.attempt}`

export function errorWithStep(entry: JournalEntry): RunError {
  const error = entry.error! as RunError
  return error.step ? error : { ...error, step: entry.id }
}
