// The port to the store of alerts: rules, what they have seen, and messages that wait to be sent.
import type { AlertNumber, AlertRule } from '../../../base/alert-rules.ts'

export type AlertLimits = Partial<Record<AlertNumber, number>>

export type AlertTarget = { kind: 'webhook'; url: string } | { kind: 'email'; to: string[] }

export interface AlertRecord extends AlertLimits {
  id: string
  rule: AlertRule
  /** null: all flows, or those with the tag. */
  flowId: string | null
  tag: string | null
  target: AlertTarget
  /** The key that signs the messages of a webhook; null if there is none or it cannot be opened. */
  secret: string | null
  createdAt: number
  /** The time of the latest message that was sent. */
  sentAt: number | null
  /** Why the latest message could not be sent. */
  problem: string | null
}

/** The end of a run that an alert may be about. */
export interface AlertEvent {
  id: string
  kind: 'failed' | 'succeeded'
  flowId: string
  runId: string | null
  at: number
  code: string | null
}

/** What an alert tells of. */
export interface AlertItem {
  at: number
  flowId: string | null
  runId: string | null
  /** The connection, the error code, or what else there is to say. */
  note: string | null
  count: number
}

/** A message: one item, or a digest of several. */
export interface AlertBody {
  digest: boolean
  since: number
  count: number
  items: AlertItem[]
  /** Whether somebody only wants to see that it arrives. */
  test?: true
}

export interface AlertMessage {
  id: string
  alertId: string
  body: AlertBody
  attempts: number
  createdAt: number
  dueAt: number
}

export interface Raised {
  alertId: string
  item: AlertItem
}

/** What is known by subject, such as which flows fail. */
export type AlertStates = Map<string, string>

/** What comes of looking: states that changed (null: gone), and what alerts are raised. */
export interface Verdict {
  states: ReadonlyMap<string, string | null>
  raised: readonly Raised[]
}

export interface LateSchedule {
  flowId: string
  runsAt: number | null
  missed: number
}

export interface AlertStore {
  list(): Promise<AlertRecord[]>
  create(alert: AlertRecord): Promise<void>
  /** Replaces what the alert says and forgets what it has seen. Returns false if there is none. */
  update(alert: AlertRecord): Promise<boolean>
  remove(id: string): Promise<boolean>
  states(): Promise<AlertStates>
  /** Returns ends of runs that nobody has looked at, oldest first. */
  events(limit: number): Promise<AlertEvent[]>
  /**
   * Stores the verdict about those of the events that are still there, and removes them, in one transaction. Messages of one
   * alert are at least `windowMs` apart. Returns false if another process is at it.
   */
  settle(
    events: readonly AlertEvent[],
    decide: (events: readonly AlertEvent[], states: AlertStates) => Verdict,
    at: { now: number; windowMs: number; nextId(): string },
  ): Promise<boolean>
  /** Returns planned times that have passed without a run, and schedules that left times out. */
  lateSchedules(before: number): Promise<LateSchedule[]>
  due(now: number, limit: number): Promise<AlertMessage[]>
  /** Takes a message for sending until `until`. Returns false if another process has taken it. */
  take(message: AlertMessage, until: number): Promise<boolean>
  /** Removes a message that was sent, or that is given up with a problem. */
  done(message: AlertMessage, at: number, problem: string | null): Promise<void>
  postpone(message: AlertMessage, until: number, problem: string): Promise<void>
}

/** Sends e-mail; null if no server is set. */
export interface Mailer {
  send(mail: { to: readonly string[]; subject: string; text: string; id: string }): Promise<void>
}
