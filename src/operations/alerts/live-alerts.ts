// The alerts in memory: they say which ends of runs and which deliveries matter, so that the others cost nothing.
import type { AlertRecord, AlertRule, AlertStore, Raised } from '../ports/alerts/alerts.ts'

/** Refusals that say nothing about the sender: there is no such webhook, or too much comes in. */
const NOT_COUNTED = new Set([404, 429, 503])
/** The subject of the state of a flow whose latest run failed. */
export const failingSubject = (flowId: string): string => `failing:${flowId}`
const FAILING = failingSubject('')

export class LiveAlerts {
  readonly #store: AlertStore
  /** Whether other processes end runs too, so that this one does not know how the latest ended. */
  readonly #shared: boolean
  #alerts: readonly AlertRecord[] = []
  readonly #failing = new Set<string>()
  readonly #rejections = new Map<string, number>()
  #raised: Raised[] = []
  /** Called when there is something to look at. */
  wake: () => void = () => {}

  constructor(store: AlertStore, shared: boolean) {
    this.#store = store
    this.#shared = shared
  }

  async load(): Promise<void> {
    this.#alerts = await this.#store.list()
    this.learn(await this.#store.states())
    this.wake()
  }

  learn(states: ReadonlyMap<string, string>): void {
    this.#failing.clear()
    for (const subject of states.keys())
      if (subject.startsWith(FAILING)) this.#failing.add(subject.slice(FAILING.length))
  }

  get all(): readonly AlertRecord[] {
    return this.#alerts
  }

  /** Returns whether the end of a run has to be stored for the alerts. */
  concernsEnd(flowId: string, status: 'failed' | 'succeeded'): boolean {
    if (this.#alerts.length === 0) return false
    const follows = this.#mayConcern(flowId, 'first_failure', 'recovered')
    const failing = this.#failing.has(flowId)
    if (status === 'succeeded') return follows && failing && this.#failing.delete(flowId)
    if (follows) this.#failing.add(flowId)
    return this.#mayConcern(flowId, 'failures') || (follows && (this.#shared || !failing))
  }

  rejected(flowId: string, status: number, now: number): void {
    if (this.#alerts.length === 0 || NOT_COUNTED.has(status) || !this.#mayConcern(flowId, 'rejections')) return
    const inRow = (this.#rejections.get(flowId) ?? 0) + 1
    this.#rejections.set(flowId, inRow)
    for (const alert of this.#alerts)
      if (alert.rule === 'rejections' && mayConcern(alert, flowId) && inRow % alert.count! === 0)
        this.#raised.push({
          alertId: alert.id,
          item: { at: now, flowId, runId: null, note: null, count: inRow },
        })
    if (this.#raised.length) this.wake()
  }

  accepted(flowId: string): void {
    if (this.#rejections.size) this.#rejections.delete(flowId)
  }

  /** Returns what was raised in memory and is not stored yet. */
  takeRaised(): Raised[] {
    const raised = this.#raised
    this.#raised = []
    return raised
  }

  #mayConcern(flowId: string, ...rules: AlertRule[]): boolean {
    return this.#alerts.some((alert) => rules.includes(alert.rule) && mayConcern(alert, flowId))
  }
}

/** Whether a flow has a tag is known only later. */
const mayConcern = (alert: AlertRecord, flowId: string): boolean => alert.flowId === null || alert.flowId === flowId
