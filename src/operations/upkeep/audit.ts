// Records who did what, and when, in the database; owners can read it. An action that writes to the database commits
// together with its entry; one whose deed is what leaves the process, such as a test of a step, comes after its entry.
import type { Ids } from '../../engine/ids.ts'
import type { Actor } from '../ports/access.ts'
import type {
  AuditAction,
  AuditStore,
  AuditTarget,
  AuditTrail,
  CountedAction,
  RecordEntry,
  Together,
} from '../ports/audit.ts'
import type { Page, Paged } from '../ports/page.ts'
import { CountRefusals } from './audit-log/count-refusals.ts'

export const AUDIT_DAYS = 365
const ONCE_IN_MS = 600_000
const MOST_RECENT = 1000

export interface AuditPorts {
  store: AuditStore
  ids: Ids
  now(): number
  redact<T>(value: T): T
  together: Together
  /** Told of entries that cannot be written now and are tried again. */
  failed(error: unknown): void
}

const NOBODY = { id: null, name: 'nobody' }

export class Audit implements AuditTrail {
  readonly #ports: AuditPorts
  /** The time at which each repeated action was last recorded. */
  readonly #recent = new Map<string, number>()
  readonly #refusals: Readonly<Record<CountedAction, CountRefusals>>

  constructor(ports: AuditPorts) {
    this.#ports = ports
    const counting = (action: CountedAction) =>
      new CountRefusals({
        record: (refusals) => this.record(NOBODY, action, null, refusals),
        now: ports.now,
        failed: ports.failed,
      })
    this.#refusals = {
      'token.refused': counting('token.refused'),
      'user.sign_in_failed': counting('user.sign_in_failed'),
    }
  }

  /** Counts what strangers can repeat as often as they like: one entry a minute at most sums it up. */
  count(action: CountedAction, from: string): void {
    this.#refusals[action].add(from)
  }

  /** Writes what was counted last. */
  async stop(): Promise<void> {
    for (const counted of Object.values(this.#refusals)) await counted.stop()
  }

  /** Commits an action and its entry together, or neither of them. */
  together<T>(deed: () => Promise<T>): Promise<T> {
    return this.#ports.together.run(deed)
  }

  /** Rejects if the entry cannot be written; the action must then be undone. Known secrets are hidden. */
  async record(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target: AuditTarget | null = null,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    const { store, ids, now, redact } = this.#ports
    const entry = { id: ids.next('aud'), at: now(), actor: actor.name, actorId: actor.id, action, target, details }
    await store.add(redact(entry))
  }

  /** Records one entry in ten minutes, for actions that repeat every few seconds, such as saving a draft. */
  async recordOnce(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target: AuditTarget,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    await this.entryOnce(actor, action, target, details)?.()
  }

  /** Returns what records such an entry; null if there was one in the last ten minutes, so that none is needed. */
  entryOnce(
    actor: Pick<Actor, 'name' | 'id'>,
    action: AuditAction,
    target: AuditTarget,
    details: Record<string, unknown> = {},
  ): RecordEntry | null {
    const key = JSON.stringify([actor.id, actor.name, action, target.id])
    const now = this.#ports.now()
    if (now - (this.#recent.get(key) ?? -ONCE_IN_MS) < ONCE_IN_MS) return null
    return async () => {
      await this.record(actor, action, target, details)
      await this.#ports.together.after(() => {
        if (this.#recent.size >= MOST_RECENT) this.#recent.clear()
        this.#recent.set(key, now)
      })
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

export interface AuditView {
  id: string
  at: string
  actor: string
  actorId: string | null
  action: AuditAction
  target: AuditTarget | null
  details: Record<string, unknown>
}
