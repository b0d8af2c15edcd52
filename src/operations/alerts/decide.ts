// Decides which alerts are raised: by the ends of runs, and by what is seen of schedules, connections, the queue and the database.
import type { AlertRule } from '../../base/alert-rules.ts'
import type { AlertEvent, AlertRecord, LateSchedule, Raised, Verdict } from '../ports/alerts/alerts.ts'
import { failingSubject } from './live-alerts.ts'

/** The time that a rule looks back over is counted in this many parts. */
const PARTS = 60
/** A planned time that passed this long ago without a run is late, if the rule says nothing else. */
const LATE_S = 60

/** The tags of the flows that are asked about. */
export type Tags = ReadonlyMap<string, readonly string[]>

export const isAbout = (alert: AlertRecord, flowId: string, tags: Tags): boolean =>
  alert.tag === null
    ? alert.flowId === null || alert.flowId === flowId
    : (tags.get(flowId)?.includes(alert.tag) ?? false)

/** What is decided, while it is decided. */
export class Decision implements Verdict {
  readonly states = new Map<string, string | null>()
  readonly raised: Raised[] = []
  readonly #before: ReadonlyMap<string, string>

  constructor(before: ReadonlyMap<string, string>) {
    this.#before = before
  }

  state(subject: string): string | null {
    const changed = this.states.get(subject)
    return changed === undefined ? (this.#before.get(subject) ?? null) : changed
  }

  set(subject: string, value: string | null): void {
    if (this.state(subject) !== value) this.states.set(subject, value)
  }

  raise(alert: AlertRecord, item: Partial<Raised['item']> & { at: number }): void {
    this.raised.push({ alertId: alert.id, item: { flowId: null, runId: null, note: null, count: 1, ...item } })
  }

  /** Raises the alert when something begins, once until it has ended. */
  while(alert: AlertRecord, subject: string, holds: boolean, item: Partial<Raised['item']> & { at: number }): void {
    const known = `${alert.rule}:${alert.id}:${subject}`
    if (holds && this.state(known) === null) this.raise(alert, item)
    this.set(known, holds ? String(item.at) : null)
  }

  /** Ends what was seen of an alert and is not any more. */
  endOthers(alert: AlertRecord, subjects: ReadonlySet<string>): void {
    const prefix = `${alert.rule}:${alert.id}:`
    for (const known of this.#before.keys())
      if (known.startsWith(prefix) && !subjects.has(known.slice(prefix.length))) this.set(known, null)
  }
}

export function decideEvents(
  decision: Decision,
  alerts: readonly AlertRecord[],
  events: readonly AlertEvent[],
  tags: Tags,
): void {
  const byRule = Map.groupBy(alerts, ({ rule }) => rule)
  const counted = new Map<string, RecentCount>()
  for (const { kind, flowId, runId, at, code } of events) {
    const subject = failingSubject(flowId)
    const wasFailing = decision.state(subject) !== null
    const about = (rule: AlertRule) => (byRule.get(rule) ?? []).filter((one) => isAbout(one, flowId, tags))
    const item = { at, flowId, runId, note: code }
    if (kind === 'succeeded') {
      if (wasFailing) for (const alert of about('recovered')) decision.raise(alert, item)
      decision.set(subject, null)
      continue
    }
    if (!wasFailing) for (const alert of about('first_failure')) decision.raise(alert, item)
    decision.set(subject, String(at))
    for (const alert of about('failures')) {
      const known = `failures:${alert.id}:${flowId}`
      const recent = counted.get(known) ?? new RecentCount(decision.state(known), alert.minutes! * 60_000)
      counted.set(known, recent)
      const count = recent.add(at)
      if (count < alert.count!) continue
      decision.raise(alert, { ...item, count })
      // The next alert needs as many failures again.
      recent.clear()
    }
  }
  // They are written once, however many events there are.
  for (const [known, recent] of counted) decision.set(known, recent.text())
}

/** How much happened in the last time, counted in parts of it. */
class RecentCount {
  readonly #parts: Map<number, number>
  readonly #partMs: number
  #total = 0
  #latest = Number.NEGATIVE_INFINITY

  constructor(text: string | null, spanMs: number) {
    this.#parts = new Map(text === null ? [] : (JSON.parse(text) as [number, number][]))
    this.#partMs = spanMs / PARTS
    for (const count of this.#parts.values()) this.#total += count
  }

  /** Counts one more, and returns how many there are in the time before it. */
  add(at: number): number {
    const part = Math.floor(at / this.#partMs)
    this.#parts.set(part, (this.#parts.get(part) ?? 0) + 1)
    this.#total++
    if (part > this.#latest) {
      this.#latest = part
      for (const [one, count] of this.#parts)
        if (one <= part - PARTS) {
          this.#parts.delete(one)
          this.#total -= count
        }
    }
    return this.#total
  }

  clear(): void {
    this.#parts.clear()
    this.#total = 0
  }

  text(): string | null {
    return this.#parts.size ? JSON.stringify([...this.#parts]) : null
  }
}

export interface Seen {
  now: number
  late: readonly LateSchedule[]
  /** The names of the connections that must be connected again. */
  reconnect: readonly string[]
  /** The client certificates of connections that have expired or will soon. */
  expiring: readonly { connection: string; expiresAt: number }[]
  /** How long the oldest run has waited for its turn. */
  oldestSeconds: number
  /** Why the database does not work; null if it does. */
  fault: string | null
}

export function decideSeen(decision: Decision, alerts: readonly AlertRecord[], seen: Seen, tags: Tags): void {
  const { now: at } = seen
  for (const alert of alerts)
    switch (alert.rule) {
      case 'schedule_late': {
        const before = at - (alert.seconds ?? LATE_S) * 1000
        const late = seen.late.filter(({ flowId }) => isAbout(alert, flowId, tags))
        for (const { flowId, runsAt, missed } of late) {
          decision.while(alert, flowId, missed > 0 || (runsAt !== null && runsAt < before), {
            at,
            flowId,
            count: Math.max(1, missed),
            note: missed > 0 ? 'missed' : 'late',
          })
        }
        decision.endOthers(alert, new Set(late.map(({ flowId }) => flowId)))
        break
      }
      case 'reconnect':
        for (const name of seen.reconnect) decision.while(alert, name, true, { at, note: name })
        decision.endOthers(alert, new Set(seen.reconnect))
        break
      case 'certificate_expires':
        // Each is told of once for good: a process that cannot read it now says nothing about it.
        for (const { connection, expiresAt } of seen.expiring) {
          const day = new Date(expiresAt).toISOString().slice(0, 10)
          decision.while(alert, `${connection} ${expiresAt}`, true, { at, note: `${connection} ${day}` })
        }
        break
      case 'queue_age':
        decision.while(alert, '', seen.oldestSeconds > alert.seconds!, {
          at,
          note: `${Math.round(seen.oldestSeconds)} s`,
        })
        break
      case 'storage':
        decision.while(alert, '', seen.fault !== null, { at, note: seen.fault })
    }
}
