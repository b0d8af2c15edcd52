// Bars of durations that can be compared down a list, from milliseconds to an hour: each tick is many times the one before it.

const LEAST_MS = 5
const MOST_MS = 3_600_000

/** Share of the full width. The scale is fixed, so that no bar changes because another run arrives. */
export function durationShare(ms: number): number {
  const bounded = Math.min(MOST_MS, Math.max(LEAST_MS, ms))
  return Math.log(bounded / LEAST_MS) / Math.log(MOST_MS / LEAST_MS)
}

export const DURATION_TICKS = [
  { ms: 100, label: '100 ms' },
  { ms: 1000, label: '1 s' },
  { ms: 60_000, label: '1 min' },
].map((tick) => ({ ...tick, share: durationShare(tick.ms) }))

export interface TimedSummary {
  startedAt: string | null
  finishedAt: string | null
}

/** Null before it began. */
export function runDuration({ startedAt, finishedAt }: TimedSummary, now: number): number | null {
  if (startedAt === null) return null
  return Math.max(0, (finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt))
}
