// Counts by a key. The labels are made when the metrics are read: prom-client's own counters hash them at every count.
import { Counter, type Registry } from 'prom-client'

export interface TallyOptions {
  registry: Registry
  name: string
  help: string
  labels: string[]
  labelsOf(key: string): Record<string, string>
  /** Shown from the start as 0: a rate cannot see the step from nothing to 1. */
  known: readonly string[]
}

export class Tally {
  readonly #counts: Map<string, number>

  constructor({ registry, name, help, labels, labelsOf, known }: TallyOptions) {
    const counts = new Map(known.map((key) => [key, 0]))
    this.#counts = counts
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        this.reset()
        for (const [key, count] of counts) this.inc(labelsOf(key), count)
      },
    })
  }

  add(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }
}
