// Counts the runs of each flow by the hour, for charts. Counts are kept in memory and written every few seconds, so that a
// delivery needs no extra write. A crash may lose the counts of those seconds, but never a run.
import type { ActivityStore, FlowHour } from '../ports/flows.ts'

export const HOUR_MS = 3_600_000
const SHOWN_HOURS = 24
const KEPT_HOURS = 48
/** The rows per statement: SQL limits the number of parameters. */
const BATCH = 200

export class FlowActivity {
  readonly #store: ActivityStore
  readonly #now: () => number
  #counts = new Map<string, FlowHour>()

  constructor(store: ActivityStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  began(flowId: string): void {
    this.#countOf(flowId).runs++
  }

  failed(flowId: string): void {
    this.#countOf(flowId).failed++
  }

  async write(): Promise<void> {
    if (this.#counts.size === 0) return
    const counts = [...this.#counts.values()]
    this.#counts = new Map()
    for (let at = 0; at < counts.length; at += BATCH) await this.#store.add(counts.slice(at, at + BATCH))
    await this.#store.deleteBefore(this.#hour() - KEPT_HOURS)
  }

  /** Returns the last 24 hours of each flow, oldest first. */
  async recent(flowIds: readonly string[]): Promise<Map<string, { runs: number; failed: number }[]>> {
    const first = this.#hour() - SHOWN_HOURS + 1
    const hours = new Map(
      flowIds.map((id) => [id, Array.from({ length: SHOWN_HOURS }, () => ({ runs: 0, failed: 0 }))]),
    )
    const counts = [...(await this.#store.since(flowIds, first)), ...this.#counts.values()]
    for (const { flowId, hour, runs, failed } of counts) {
      const of = hours.get(flowId)?.[hour - first]
      if (!of) continue
      of.runs += runs
      of.failed += failed
    }
    return hours
  }

  #countOf(flowId: string): FlowHour {
    const hour = this.#hour()
    const key = `${flowId}:${hour}`
    let count = this.#counts.get(key)
    if (!count) {
      count = { flowId, hour, runs: 0, failed: 0 }
      this.#counts.set(key, count)
    }
    return count
  }

  #hour(): number {
    return Math.floor(this.#now() / HOUR_MS)
  }
}
