// Keeps the runs of paused flows in order, until their flow is resumed.
import { Fifo } from '../base/fifo.ts'
import type { QueuedRun } from '../operations/ports/queue.ts'

export class HeldRuns {
  readonly #lines = new Map<string, Fifo<QueuedRun>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  of(flowId: string): number {
    return this.#lines.get(flowId)?.size ?? 0
  }

  among(flowId: string, runIds: readonly string[]): string[] {
    const sought = new Set(runIds)
    return (this.#lines.get(flowId)?.filter(({ id }) => sought.has(id)) ?? []).map(({ id }) => id)
  }

  /** Begins to hold the runs of a flow, those given first. */
  open(flowId: string, first: readonly QueuedRun[]): void {
    if (!this.#lines.has(flowId)) this.#lines.set(flowId, new Fifo())
    // Ids are in the order of arrival.
    for (const run of first.toSorted((a, b) => (a.id < b.id ? -1 : 1))) this.push(run)
  }

  /** Returns false if the run is not held. */
  push(run: QueuedRun): boolean {
    const line = run.exempt ? undefined : this.#lines.get(run.flowId)
    if (!line) return false
    // What it was started with is read again when it begins: the line may be long.
    line.push({ ...run, fresh: null })
    this.#size++
    return true
  }

  /** Holds the flow's runs no longer, and returns those that it held. */
  release(flowId: string): QueuedRun[] {
    const runs = this.#lines.get(flowId)?.remove(() => true) ?? []
    this.#lines.delete(flowId)
    this.#size -= runs.length
    return runs
  }

  forget(flowId: string, ids: ReadonlySet<string>): void {
    this.#size -= this.#lines.get(flowId)?.remove((run) => ids.has(run.id)).length ?? 0
  }
}
