// Where it is kept who did what.
import type { Actor } from './access.ts'
import type { Page, Paged } from './page.ts'

export type AuditAction =
  | `flow.${'create' | 'update' | 'publish' | 'unpublish' | 'delete' | 'restore' | 'regenerate'}`
  | `run.${'cancel' | 'replay'}`
  | `connection.${'create' | 'update' | 'delete' | 'authorize'}`
  | 'key.rotate'
  | 'backup.create'
  | `token.${'create' | 'revoke'}`
  | `invitation.${'create' | 'revoke' | 'accept'}`
  | `user.${'setup' | 'sign_in' | 'sign_in_failed' | 'sign_out' | 'password_change' | 'password_reset' | 'role_change' | 'delete'}`

export interface AuditTarget {
  kind: string
  id: string
  name: string | null
}

export interface AuditEntry {
  id: string
  at: number
  /** As it was called then: an e-mail address, or the name of a token. */
  actor: string
  actorId: string | null
  action: AuditAction
  target: AuditTarget | null
  details: Record<string, unknown>
}

/** Writes of several stores as one. */
export interface Together {
  /** All that `work` writes to stores is committed when it resolves, and none of it when it rejects. It waits for the database only. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** What has to wait until then, such as what is kept in memory; at once where nothing is under way. */
  after(then: () => Promise<void> | void): Promise<void>
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /** Newest first. */
  list(page: Page): Promise<Paged<AuditEntry>>
  /** Deletes at most `limit`; the number deleted. */
  deleteOlderThan(before: number, limit: number): Promise<number>
}

/** Records what was done. */
export interface AuditTrail {
  /** For a deed and its entry: both are there when it resolves, or neither. */
  together<T>(deed: () => Promise<T>): Promise<T>
  /** Rejects where it cannot be written; the deed must not stand then. Secrets that are known are hidden. */
  record(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target?: AuditTarget | null,
    details?: Record<string, unknown>,
  ): Promise<void>
  /** For what somebody does every few seconds, such as saving a draft: one entry in ten minutes tells as much. */
  recordOnce(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target: AuditTarget,
    details?: Record<string, unknown>,
  ): Promise<void>
}
