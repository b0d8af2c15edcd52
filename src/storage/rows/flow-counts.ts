// The columns of the counters, and what is counted. What was counted stands in `flow_delta` until it is added to its minute and
// its hour, of its flow and of all flows.
import { COUNTERS, type Counter, type Counts, DURATION_BOUNDS_MS } from '../../operations/ports/stats.ts'

/** The flow id of the rows that count all flows together; no flow has it. */
export const ALL_FLOWS = ''

const DURATIONS = Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, i) => `d${i}`)
/** One column per counter, then one per range of durations. */
export const COUNT_COLUMNS: readonly string[] = [...COUNTERS, ...DURATIONS]

/** Returns whether a delivery with this outcome is counted: what comes in by a callback is not, unless it is refused. */
export const isCounter = (outcome: string): outcome is Counter => (COUNTERS as readonly string[]).includes(outcome)

export type CountRow = Record<string, number>

export const toCounts = (row: CountRow): Counts => {
  const counts = Object.fromEntries(COUNTERS.map((name) => [name, row[name] ?? 0])) as Record<Counter, number>
  return { ...counts, durations: DURATIONS.map((name) => row[name] ?? 0) }
}

export function durationBucket(ms: number): number {
  const found = DURATION_BOUNDS_MS.findIndex((bound) => ms <= bound)
  return found === -1 ? DURATION_BOUNDS_MS.length : found
}

/** Something that is counted once. */
export interface Counted {
  flowId: string
  at: number
  counter: Counter
  /** The range of the duration of a run that has ended by itself; otherwise NO_BUCKET. */
  bucket: number
  /** The code of the error that a run failed with; otherwise NO_CODE. */
  code: string
}

export const NO_BUCKET = -1
export const NO_CODE = ''

/** Returns what the end of a run adds. A cancelled run says nothing about how long runs take. */
export function countedEnd(
  flowId: string,
  run: { status: string; startedAt: number; finishedAt: number; code: string | null },
): Counted {
  const counter = run.status as Counter
  return {
    flowId,
    at: run.finishedAt,
    counter,
    bucket: counter === 'cancelled' ? NO_BUCKET : durationBucket(run.finishedAt - run.startedAt),
    code: counter === 'failed' ? (run.code ?? NO_CODE) : NO_CODE,
  }
}

export const COUNT_TABLES = ['flow_minute', 'flow_hour', 'flow_error'] as const
export type CountTable = (typeof COUNT_TABLES)[number]

const TIME_COLUMN = { flow_minute: 'minute', flow_hour: 'hour', flow_error: 'hour' } as const

/** Returns the keys and the counts of a table. */
export const columnsOfCounts = (table: CountTable): { keys: string[]; counts: readonly string[] } =>
  table === 'flow_error'
    ? { keys: ['flow_id', 'hour', 'code'], counts: ['runs'] }
    : { keys: ['flow_id', TIME_COLUMN[table]], counts: COUNT_COLUMNS }

/** Returns the end of an insert that adds to the row that is there. */
export const addOnConflict = (table: CountTable): string => {
  const { keys, counts } = columnsOfCounts(table)
  const sums = counts.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  return `on conflict (${keys.join(', ')}) do update set ${sums.join(', ')}`
}

export const DELTA_KEYS = ['flow_id', 'minute', 'counter', 'bucket', 'code'] as const
