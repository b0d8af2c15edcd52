// A histogram in which an observation costs a few additions; prom-client's own makes objects and hashes labels at each.
import type { Metric, Registry } from 'prom-client'

type Labels = Record<string, string>

/** The observations under one set of labels. */
export class Series {
  readonly labels: Labels
  readonly #bounds: readonly number[]
  /** Each bucket by itself; the last one is above all bounds. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(seconds: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && seconds > this.#bounds[bucket]!) bucket++
    this.#counts[bucket]! += 1
    this.#sum += seconds
  }

  samples(name: string): { metricName: string; labels: Record<string, string | number>; value: number }[] {
    let count = 0
    const buckets = Array.from(this.#counts, (own, i) => {
      count += own
      return { metricName: `${name}_bucket`, labels: { le: this.#bounds[i] ?? '+Inf', ...this.labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: this.labels, value: this.#sum },
      { metricName: `${name}_count`, labels: this.labels, value: count },
    ]
  }
}

export class Timings {
  readonly name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #series: Series[] = []

  constructor(options: { registry: Registry; name: string; help: string; bounds: readonly number[] }) {
    this.name = options.name
    this.#help = options.help
    this.#bounds = options.bounds
    // The registry uses only name and get() of a metric.
    options.registry.registerMetric(this as unknown as Metric)
  }

  /** The caller keeps the result: each call makes another one. */
  series(labels: Labels = {}): Series {
    const series = new Series(labels, this.#bounds)
    this.#series.push(series)
    return series
  }

  async get(): Promise<object> {
    const { name } = this
    const values = this.#series.flatMap((series) => series.samples(name))
    return { name, help: this.#help, type: 'histogram', aggregator: 'sum', values }
  }
}
