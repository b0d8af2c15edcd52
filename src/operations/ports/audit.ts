// The port to the store of the audit log.
import type { Actor } from './access.ts'
import type { Page, Paged } from './page.ts'

export type AuditAction =
  | `flow.${'create' | 'update' | 'publish' | 'unpublish' | 'pause' | 'resume' | 'delete' | 'restore' | 'regenerate' | 'run' | 'test' | 'test_step' | 'pin' | 'unpin' | 'sample' | 'source'}`
  | `run.${'cancel' | 'cancel_many' | 'replay'}`
  | 'failure.update'
  | 'approval.answer'
  | `callback.${'answer' | 'regenerate'}`
  | `replay.${'create' | 'pause' | 'resume' | 'cancel'}`
  | 'delivery.admit'
  | `connection.${'create' | 'update' | 'delete' | 'authorize' | 'test'}`
  | `settings.${'failure_flow' | 'two_factor'}`
  | `alert.${'create' | 'update' | 'delete' | 'test'}`
  | 'key.rotate'
  | 'backup.create'
  | `audit.${'chain' | 'export'}`
  | `token.${'create' | 'revoke' | 'refused'}`
  | `role.${'create' | 'update' | 'delete'}`
  | `invitation.${'create' | 'revoke' | 'accept'}`
  | `user.${'setup' | 'sign_in' | 'sign_in_failed' | 'sign_out' | 'password_change' | 'password_reset' | 'role_change' | 'delete' | 'join' | 'identity_link' | 'identity_unlink' | 'sessions_end' | 'second_factor_on' | 'second_factor_off' | 'second_factor_reset' | 'recovery_codes' | 'break_glass'}`

/** What anybody can cause without being known. */
export type CountedAction = 'token.refused' | 'user.sign_in_failed'

export interface AuditTarget {
  kind: string
  id: string
  name: string | null
}

export interface AuditEntry {
  id: string
  at: number
  /** The name at that time: an e-mail address, or the name of a token. */
  actor: string
  actorId: string | null
  action: AuditAction
  target: AuditTarget | null
  details: Record<string, unknown>
}

/** Records the entry of a deed. Called inside the transaction of the deed, which is not done if this rejects. */
export type RecordEntry = () => Promise<void>

/** Commits the writes of several stores as one transaction. */
export interface Together {
  /** Commits all writes of `work` when it resolves, and none if it rejects. `work` waits for nothing but the database. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Does `work` as the last part of the transaction, before it commits; at once, in its own, if none is under way. */
  last(work: () => Promise<void>): Promise<void>
  /** Calls `then` after the commit, for example to update memory; at once if no transaction is under way. */
  after(then: () => Promise<void> | void): Promise<void>
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /** Returns entries, newest first. */
  list(page: Page): Promise<Paged<AuditEntry>>
  /** Deletes at most `limit` entries and returns their number. */
  deleteOlderThan(before: number, limit: number): Promise<number>
}

/** Records actions in the audit log. */
export interface AuditTrail {
  /** Commits an action and its entry together, or neither of them. */
  together<T>(deed: () => Promise<T>): Promise<T>
  /** Rejects if the entry cannot be written; the action must then be undone. Known secrets are hidden. */
  record(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target?: AuditTarget | null,
    details?: Record<string, unknown>,
  ): Promise<void>
  /**
   * Counts what strangers can repeat as often as they like. The first is recorded at once, what follows is summed up: one entry
   * a minute at most for each action, whatever comes.
   */
  count(action: CountedAction, from: string): void
  /** Records one entry in ten minutes, for actions that repeat every few seconds, such as saving a draft. */
  recordOnce(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target: AuditTarget,
    details?: Record<string, unknown>,
  ): Promise<void>
  /** Returns what records such an entry; null if there was one in the last ten minutes, so that none is needed. */
  entryOnce(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target: AuditTarget,
    details?: Record<string, unknown>,
  ): RecordEntry | null
}
