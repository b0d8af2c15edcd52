// Decides whether and when a step is tried again, and ends the walk until then.
import { CODE } from '../base/error-catalogue.ts'
import type { CompiledStep, RetryPolicy } from '../flow/compile.ts'
import { noteAttempt } from './attempts.ts'
import { type Pending, parkEntry } from './journal-entries.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { JournalEntry } from './ports/run-journal.ts'
import type { Outcome, StepKind, Trouble } from './step-kind.ts'
import { Parked } from './walk-signals.ts'

const NETWORK_CODES = new Set<string>([
  CODE.connection_timeout,
  CODE.dns_failed,
  CODE.connection_refused,
  CODE.connection_reset,
  CODE.connection_failed,
  CODE.proxy_failed,
  CODE.response_invalid,
  CODE.token_unavailable,
  CODE.secret_unavailable,
])

/** Returns what a retry policy looks at. A bad reply that `failOnError: false` lets pass may still be worth a retry. */
function troubleOf(outcome: Outcome): Trouble | null {
  if (outcome.type === 'failed') return outcome.trouble ?? { code: outcome.error.code, status: outcome.error.status }
  return outcome.type === 'done' ? (outcome.trouble ?? null) : null
}

/** Returns when a step with this outcome is tried again; null if it is not. */
function retryAt(
  policy: RetryPolicy,
  byDefault: readonly string[],
  outcome: Outcome,
  attempt: number,
  { now, random }: { now(): number; random(): number },
): number | null {
  const trouble = troubleOf(outcome)
  return trouble && nextAttemptAt(policy, byDefault, trouble, attempt, now(), random())
}

/** Returns the time of the next attempt, or null. `byDefault` counts if the policy lists no errors; `random`: in [0, 1). */
export function nextAttemptAt(
  policy: RetryPolicy,
  byDefault: readonly string[],
  trouble: Trouble,
  attempt: number,
  now: number,
  random: number,
): number | null {
  if (attempt >= policy.attempts || !counts(policy.on ?? byDefault, trouble)) return null
  const maxDelayMs = policy.maxDelay * 1000
  if (trouble.retryAfterMs !== undefined) return now + Math.min(trouble.retryAfterMs, maxDelayMs)
  const delayMs = Math.min(policy.delay * 1000 * policy.backoff ** (attempt - 1), maxDelayMs)
  // Jitter only shortens the delay, so that it never exceeds what the flow asked for.
  return now + Math.round(delayMs * (1 - random / 2))
}

function counts(conditions: readonly string[], { code, status }: Trouble): boolean {
  return conditions.some((condition) => {
    if (condition === 'error') return true
    if (condition === 'network') return NETWORK_CODES.has(code)
    if (status === undefined) return false
    return condition === String(status) || condition.toLowerCase() === `${Math.floor(status / 100)}xx`
  })
}

/** What parking needs of the walk of a run. */
interface ParkedWalk {
  readonly writer: { add(entry: JournalEntry): void }
  readonly recorded: Map<string, JournalEntry>
  readonly ports: Pick<EnginePorts, 'now' | 'random'>
}

/** Ends the walk for now if another attempt is due later: throws Parked. */
export function parkForRetry(
  walk: ParkedWalk,
  { retry, kind }: Pick<CompiledStep<StepKind>, 'retry' | 'kind'>,
  entry: JournalEntry,
  outcome: Outcome,
): void {
  const at = retry && retryAt(retry, kind.retryOn, outcome, entry.attempt, walk.ports)
  if (at !== null || entry.attempts) noteAttempt(entry, outcome, walk.ports.now())
  if (at !== null) park(walk, entry, at, null, outcome)
}

export function park(
  { writer, recorded }: ParkedWalk,
  entry: JournalEntry,
  resumeAt: number | null,
  outcome: Pending | null,
  left: Outcome,
): never {
  writer.add(parkEntry(entry, resumeAt, outcome, left))
  recorded.set(entry.path, entry)
  throw new Parked(resumeAt, outcome === 'callback' || resumeAt === null)
}
