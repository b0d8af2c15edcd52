// What the counters say, as the API shows it.
import { COUNTERS, type Counts, DURATION_BOUNDS_MS } from '../ports/stats.ts'
import { percentile } from './percentile.ts'

export interface CountsView {
  deliveries: { accepted: number; duplicate: number; filtered: number; rejected: number }
  runs: { started: number; succeeded: number; failed: number; cancelled: number }
  /** The share of succeeded runs among those that succeeded or failed; null without any. */
  successRate: number | null
  p50Ms: number | null
  p95Ms: number | null
}

export function countsView(counts: Counts): CountsView {
  const { accepted, duplicate, filtered, rejected, started, succeeded, failed, cancelled, durations } = counts
  const ended = succeeded + failed
  return {
    deliveries: { accepted, duplicate, filtered, rejected },
    runs: { started, succeeded, failed, cancelled },
    successRate: ended === 0 ? null : succeeded / ended,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  }
}

export function noCounts(): Counts {
  const zeros = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Omit<Counts, 'durations'>
  return { ...zeros, durations: Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, () => 0) }
}

/** Adds the second to the first. */
export function addCounts(sum: Counts, more: Counts): void {
  for (const name of COUNTERS) sum[name] += more[name]
  for (const [i, runs] of more.durations.entries()) sum.durations[i]! += runs
}
