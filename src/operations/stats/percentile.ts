import { DURATION_BOUNDS_MS } from '../ports/stats.ts'

/**
 * Returns the duration that a share of the runs did not exceed; null without runs. Inside a range of durations the runs
 * count as evenly spread; beyond the last bound that bound stands for all.
 */
export function percentile(durations: readonly number[], share: number): number | null {
  const total = durations.reduce((sum, runs) => sum + runs, 0)
  if (total === 0) return null
  const rank = share * total
  let below = 0
  for (const [i, runs] of durations.entries()) {
    if (runs > 0 && below + runs >= rank) {
      const lower = i === 0 ? 0 : DURATION_BOUNDS_MS[i - 1]!
      const upper = DURATION_BOUNDS_MS[i] ?? lower
      return Math.round(lower + (upper - lower) * ((rank - below) / runs))
    }
    below += runs
  }
  return DURATION_BOUNDS_MS.at(-1)!
}
