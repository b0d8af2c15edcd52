// The alerts in memory: they say which ends of runs and which deliveries matter, so that the others cost nothing.
import type { AlertRule } from '../../base/alert-rules.ts'
import type { AlertRecord, AlertStore, Raised } from '../ports/alerts/alerts.ts'

/** Refusals that say nothing about the sender: there is no such webhook, or too much comes in. */
const NOT_COUNTED = new Set([404, 429, 503])
/** The subject of the state of a flow whose latest run failed. */
export const failingSubject = (flowId: string): string => `failing:${flowId}`
const FAILING = failingSubject('')
/** What was seen of a flow counts this long, because stored states may be older. Later they include it. */
const RECENT_MS = 60_000

export class LiveAlerts {
  readonly #store: AlertStore
  readonly #now: () => number
  /** With other processes, which end runs too, this one does not know how the latest ended. */
  readonly #tell: ((flowId: string) => void) | null
  #alerts: readonly AlertRecord[] = []
  readonly #failing = new Set<string>()
  /** The flows that are failing by the stored states. */
  #stored: ReadonlySet<string> = new Set()
  /** What ends of runs said of flows lately. */
  readonly #recent = new Map<string, { failing: boolean; until: number }>()
  /** The flows of whose first failure the other processes do not know yet. */
  readonly #untold = new Set<string>()
  readonly #rejections = new Map<string, number>()
  /** What was raised and is not stored yet, by alert and flow: the first, and all that came after it as one. */
  readonly #raised = new Map<string, Raised[]>()
  /** Called when there is something to look at. */
  wake: () => void = () => {}

  /** `tell` says to the other processes that a flow is failing; null if there are none. */
  constructor(store: AlertStore, now: () => number, tell: ((flowId: string) => void) | null) {
    this.#store = store
    this.#now = now
    this.#tell = tell
  }

  async load(): Promise<void> {
    this.#alerts = await this.#store.list()
    this.learn(await this.#store.states())
    this.wake()
  }

  learn(states: ReadonlyMap<string, string>): void {
    const now = this.#now()
    const failing = [...states.keys()].filter((subject) => subject.startsWith(FAILING))
    this.#stored = new Set(failing.map((subject) => subject.slice(FAILING.length)))
    this.#failing.clear()
    for (const flowId of this.#stored) this.#failing.add(flowId)
    for (const [flowId, recent] of this.#recent)
      if (recent.until <= now) this.#recent.delete(flowId)
      else if (recent.failing) this.#failing.add(flowId)
      else this.#failing.delete(flowId)
  }

  /** Notes how the latest run ended, here or in another process. */
  saw(flowId: string, failing: boolean): void {
    this.#recent.set(flowId, { failing, until: this.#now() + RECENT_MS })
    if (failing) this.#failing.add(flowId)
    else this.#failing.delete(flowId)
  }

  /** The end of a run that concerns alerts is stored. */
  ended(flowId: string): void {
    if (this.#untold.delete(flowId)) this.#tell?.(flowId)
    this.wake()
  }

  get all(): readonly AlertRecord[] {
    return this.#alerts
  }

  /** Returns whether the end of a run has to be stored for the alerts. */
  concernsEnd(flowId: string, status: 'failed' | 'succeeded'): boolean {
    if (this.#alerts.length === 0) return false
    const follows = this.#mayConcern(flowId, 'first_failure', 'recovered')
    const failing = this.#failing.has(flowId)
    if (status === 'succeeded') {
      if (!follows || !failing) return false
      this.saw(flowId, false)
      return true
    }
    if (follows && !failing) {
      this.saw(flowId, true)
      if (this.#tell) this.#untold.add(flowId)
    }
    // Until the failure before it is stored, it may be the first after all.
    const isKnown = this.#tell === null && failing && this.#stored.has(flowId)
    return this.#mayConcern(flowId, 'failures') || (follows && !isKnown)
  }

  rejected(flowId: string, status: number, now: number): void {
    if (this.#alerts.length === 0 || NOT_COUNTED.has(status) || !this.#mayConcern(flowId, 'rejections')) return
    const inRow = (this.#rejections.get(flowId) ?? 0) + 1
    this.#rejections.set(flowId, inRow)
    for (const alert of this.#alerts)
      if (alert.rule === 'rejections' && mayConcern(alert, flowId) && inRow % alert.count! === 0)
        this.raise({ alertId: alert.id, item: { at: now, flowId, runId: null, note: null, count: alert.count! } })
    if (this.#raised.size) this.wake()
  }

  /** Keeps it until it is stored, together with what was raised before. */
  raise({ alertId, item }: Raised): void {
    const key = `${alertId} ${item.flowId}`
    const [first, rest] = this.#raised.get(key) ?? []
    const count = item.count + (rest?.item.count ?? 0)
    const one = { alertId, item: { ...item, count } }
    this.#raised.set(key, first ? [first, one] : [one])
  }

  accepted(flowId: string): void {
    if (this.#rejections.size) this.#rejections.delete(flowId)
  }

  /** Returns what was raised in memory and is not stored yet. */
  takeRaised(): Raised[] {
    const raised = [...this.#raised.values()].flat()
    this.#raised.clear()
    return raised
  }

  #mayConcern(flowId: string, ...rules: AlertRule[]): boolean {
    return this.#alerts.some((alert) => rules.includes(alert.rule) && mayConcern(alert, flowId))
  }
}

/** Whether a flow has a tag is known only later. */
const mayConcern = (alert: AlertRecord, flowId: string): boolean => alert.flowId === null || alert.flowId === flowId
