// The services that operations of every subject need.
import type { Ids } from '../../engine/ids.ts'
import type { Hashing } from '../../engine/run-bindings.ts'
import type { AuditTrail } from './audit.ts'
import type { Secrets } from './secrets.ts'
import type { Signals } from './signals.ts'

/** Counts for the metrics page. */
export interface Meters {
  delivery(outcome: string, code: string | null): void
  runFinished(status: string): void
  /** The run of a planned time was stored this many seconds after it. */
  scheduleStarted(lateSeconds: number): void
  /** The message of an alert was sent, or was not taken by its target. */
  alertSent(outcome: 'sent' | 'failed'): void
  /** A run goes on with an answer, or because nobody answered. */
  callback(end: 'answered' | 'timedOut'): void
}

export interface Basics {
  now(): number
  ids: Ids
  hashing: Hashing
  env: Readonly<Record<string, string>>
  /** The plain variables of the server. */
  config: Readonly<Record<string, string>>
  secrets: Secrets
  audit: AuditTrail
  signals: Signals
  meters: Meters
  baseUrl: string
  warn(message: string, details: Record<string, unknown>): void
}
