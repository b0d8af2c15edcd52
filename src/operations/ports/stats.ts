// The port to the counters of deliveries and runs, which are kept by flow, by the minute and by the hour.

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
/** How long minutes and hours are kept. */
export const KEPT_MINUTES = 48 * 60
export const KEPT_HOURS = 366 * 24

/** The upper bounds of the durations that are counted together. Longer ones are counted after the last bound. */
// biome-ignore format: a row per magnitude
export const DURATION_BOUNDS_MS = [
  1, 2, 3, 5, 7,
  10, 15, 20, 30, 50, 70,
  100, 150, 200, 300, 500, 700,
  1_000, 1_500, 2_000, 3_000, 5_000, 7_000,
  10_000, 20_000, 30_000, 60_000,
  300_000, 1_800_000, 21_600_000, 86_400_000,
] as const

/** What is counted: deliveries by outcome, then runs that started and runs by how they ended. Test runs do not count. */
export const COUNTERS = [
  'accepted',
  'duplicate',
  'filtered',
  'rejected',
  'started',
  'succeeded',
  'failed',
  'cancelled',
] as const

export type Counter = (typeof COUNTERS)[number]

/** Counts of a time, with the number of runs per duration: one more than there are bounds. Cancelled runs have none. */
export type Counts = Record<Counter, number> & { durations: number[] }

export interface SlotCounts extends Counts {
  /** The number of the slot, counted in steps since 1970. */
  slot: number
}

export interface FlowHour {
  flowId: string
  /** Counts hours since 1970. */
  hour: number
  runs: number
  failed: number
}

export interface StatsStore {
  /** Adds up what was counted and is still apart. Reading comes after it, to miss nothing. */
  settle(): Promise<void>
  /** Returns the counts from `from` on, in steps of so many minutes or hours, for one flow or for all together. */
  series(flowId: string | null, unit: 'minute' | 'hour', from: number, step: number): Promise<SlotCounts[]>
  /** Returns a page of flows in the order of their ids, those without counts included. */
  flows(after: string | null, limit: number, fromHour: number): Promise<(Counts & { flowId: string; name: string })[]>
  /** Returns the runs and failures of each flow and hour. */
  hours(flowIds: readonly string[], fromHour: number): Promise<FlowHour[]>
  /** Returns how many runs of each flow failed with which code. */
  errors(flowIds: readonly string[], fromHour: number): Promise<{ flowId: string; code: string; runs: number }[]>
  /** Returns how many runs wait at the moment, counted up to `most`. */
  waiting(flowId: string | null, most: number): Promise<number>
  /** Deletes at most `limit` rows of each kind that are past their time, and returns their number. */
  deleteOld(now: number, limit: number): Promise<number>
}
