// Who did what, and when: kept in the database, and shown to owners.
import type { Ids } from '../engine/ids.ts'
import type { AuditAction, AuditStore, AuditTarget, Page, Paged } from './ports.ts'
import type { Actor } from './services.ts'

export const AUDIT_DAYS = 365

export interface AuditPorts {
  store: AuditStore
  ids: Ids
  now(): number
  redact<T>(value: T): T
  /** The log, when the database would not take an entry. */
  lost(error: unknown, action: AuditAction): void
}

export class Audit {
  readonly #ports: AuditPorts

  constructor(ports: AuditPorts) {
    this.#ports = ports
  }

  /** After the deed, which is done whatever becomes of its record: it never throws. Secrets that are known are hidden. */
  async record(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target: AuditTarget | null = null,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    const { store, ids, now, redact, lost } = this.#ports
    const entry = { id: ids.next('aud'), at: now(), actor: actor.name, actorId: actor.id, action, target, details }
    try {
      await store.add(redact(entry))
    } catch (error) {
      lost(error, action)
    }
  }

  deleteOlderThan(before: number, limit: number): Promise<number> {
    return this.#ports.store.deleteOlderThan(before, limit)
  }

  async list(page: Page): Promise<Paged<AuditView>> {
    const { items, nextCursor } = await this.#ports.store.list(page)
    return { items: items.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })), nextCursor }
  }
}

export const flowTarget = ({ id, name }: { id: string; name: string }): AuditTarget => ({ kind: 'flow', id, name })

export interface AuditView {
  id: string
  at: string
  actor: string
  actorId: string | null
  action: AuditAction
  target: AuditTarget | null
  details: Record<string, unknown>
}
