// Makes the journal entries of a walk, and shows their outputs to later steps.
import { isObject } from '../base/is-object.ts'
import type { CompiledStep } from '../flow/compile.ts'
import { withNext } from './attempts.ts'
import type { JournalEntry, RunError } from './ports/run-journal.ts'
import type { Roots } from './run-bindings.ts'
import type { Outcome, StepKind } from './step-kind.ts'

/** Returns the entry of a step that begins. `earlier` is the entry that an earlier claim recorded for the same step. */
export function newEntry(
  step: CompiledStep<StepKind>,
  path: string,
  earlier: JournalEntry | undefined,
  nextSeq: () => number,
  now: () => number,
): JournalEntry {
  const retried = earlier?.status === 'waiting'
  const attempt = (earlier?.attempt ?? 1) + (retried ? 1 : 0)
  const attempts = earlier?.attempts ?? null
  return {
    path,
    id: step.id,
    kind: step.kind.kind,
    seq: earlier?.seq ?? nextSeq(),
    status: 'running',
    attempt,
    attempts: attempts && retried ? withNext(attempts, attempt, now()) : attempts,
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

/** What a step that waits will go on with. */
export type Pending = 'wait' | 'call' | 'callback'

export type ClosingOutcome = Exclude<JournalEntry['outcome'], Pending | null>

export function closeEntry(entry: JournalEntry, outcome: ClosingOutcome, finishedAt: number): JournalEntry {
  entry.finishedAt = finishedAt
  entry.resumeAt = null
  entry.outcome = outcome
  entry.status = outcome === 'failed' ? 'failed' : 'succeeded'
  return entry
}

/** Marks a step as cut short: it has no outcome that counts. */
export const cancelEntry = (entry: JournalEntry, finishedAt: number): JournalEntry =>
  Object.assign(entry, { status: 'cancelled', finishedAt, resumeAt: null, outcome: null })

/** Marks a step as waiting: a wait step with its output, a step that called a run or awaits a callback, or one that gets another attempt. */
export function parkEntry(
  entry: JournalEntry,
  resumeAt: number | null,
  outcome: Pending | null,
  left: Outcome,
): JournalEntry {
  const output = 'output' in left ? (left.output ?? null) : null
  Object.assign(entry, { status: 'waiting', resumeAt, outcome, output })
  if (left.type === 'failed') entry.error = left.error
  if ('shown' in left) entry.shown = left.shown
  return entry
}

/** Makes the body of a reply the output of its step: it is the result of the run, and is not shown twice. */
export function keepReply(entry: JournalEntry, { reply }: Outcome & { type: 'reply' }): void {
  entry.output = reply.body ?? null
  entry.input = {}
}

/** Makes a step's output or error readable to the templates of later steps. */
export function exposeOutput(entry: JournalEntry, roots: Roots): void {
  const steps = roots['steps'] as Record<string, unknown>
  steps[entry.id] = entry.error
    ? { ...(isObject(entry.output) ? entry.output : null), error: entry.error }
    : entry.output
}

/** Returns the journal path for nested steps. Each attempt of the outer step has a path of its own. */
export const nestedBase = (entry: JournalEntry): string =>
  entry.attempt === 1 ? entry.path : `${entry.path}#${entry.attempt}`

export function errorWithStep(entry: JournalEntry): RunError {
  const error = entry.error! as RunError
  return error.step ? error : { ...error, step: entry.id }
}
