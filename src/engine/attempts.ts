// Keeps what came of each attempt of a step that is tried again.
import { isObject } from '../base/is-object.ts'
import type { JournalEntry, StepAttempt } from './ports/run-journal.ts'
import type { Outcome } from './step-kind.ts'

/** The first and the last attempts that are kept, each. */
const KEPT = 10
const LONGEST_MESSAGE = 500

/** Returns the attempts of a step that begins another one. */
export const withNext = (attempts: readonly StepAttempt[], number: number, startedAt: number): StepAttempt[] =>
  fewer([...attempts, { number, startedAt, durationMs: null }])

/** Notes what came of the entry's attempt. A first attempt that needs no second is not noted: its entry says all of it. */
export function noteAttempt(entry: JournalEntry, outcome: Outcome, now: number): void {
  const earlier = (entry.attempts ?? []).filter(({ number }) => number < entry.attempt)
  const startedAt = entry.attempts?.at(-1)?.startedAt ?? entry.startedAt
  const status = statusOf(outcome)
  entry.attempts = fewer([
    ...earlier,
    {
      number: entry.attempt,
      startedAt,
      durationMs: Math.max(0, now - startedAt),
      ...(status !== undefined && { status }),
      ...(outcome.type === 'failed' && {
        error: { code: outcome.error.code, message: outcome.error.message.slice(0, LONGEST_MESSAGE) },
      }),
    },
  ])
}

function statusOf(outcome: Outcome): number | undefined {
  if (outcome.type === 'failed') return outcome.trouble?.status ?? outcome.error.status
  if (outcome.type !== 'done') return undefined
  if (outcome.trouble) return outcome.trouble.status
  const status = isObject(outcome.output) ? outcome.output['status'] : undefined
  return Number.isInteger(status) ? (status as number) : undefined
}

const fewer = (attempts: StepAttempt[]): StepAttempt[] =>
  attempts.length > 2 * KEPT ? [...attempts.slice(0, KEPT), ...attempts.slice(-KEPT)] : attempts
