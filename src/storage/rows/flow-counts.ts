// The columns of the counters, and the rows that an event changes: its minute and its hour, of its flow and of all flows.
import {
  COUNTERS,
  type Counter,
  type Counts,
  DURATION_BOUNDS_MS,
  HOUR_MS,
  MINUTE_MS,
} from '../../operations/ports/stats.ts'

/** The flow id of the rows that count all flows together; no flow has it. */
export const ALL_FLOWS = ''

const DURATIONS = Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, i) => `d${i}`)
/** One column per counter, then one per range of durations. */
export const COUNT_COLUMNS: readonly string[] = [...COUNTERS, ...DURATIONS]
const FIRST_DURATION = COUNTERS.length
const INDEX = new Map<string, number>(COUNT_COLUMNS.map((name, i) => [name, i]))

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
  /** The range of the duration of a run that has ended by itself. */
  bucket: number | null
  /** The code of the error that a run failed with. */
  code: string | null
}

/** Returns what the end of a run adds. A cancelled run says nothing about how long runs take. */
export function countedEnd(
  flowId: string,
  run: { status: string; startedAt: number | null; finishedAt: number; code: string | null },
): Counted {
  const counter = run.status as Counter
  const timed = run.startedAt !== null && counter !== 'cancelled'
  return {
    flowId,
    at: run.finishedAt,
    counter,
    bucket: timed ? durationBucket(run.finishedAt - run.startedAt!) : null,
    code: counter === 'failed' ? run.code : null,
  }
}

/** The values of one row: its keys, then the counts to add. */
export type Addition = (string | number)[]

const UNITS = { flow_minute: MINUTE_MS, flow_hour: HOUR_MS } as const
export const COUNT_TABLES = ['flow_minute', 'flow_hour', 'flow_error'] as const
export type CountTable = (typeof COUNT_TABLES)[number]

/** Adds up events, so that many of them change few rows. */
export class CountSum {
  #byMinute = new Map<string, { flowId: string; minute: number; counts: number[] }>()
  /** The events of a batch are mostly of one flow and minute. */
  #latest: { flowId: string; minute: number; counts: number[] } | null = null
  #errors = new Map<string, [flowId: string, hour: number, code: string, runs: number]>()

  add({ flowId, at, counter, bucket, code }: Counted, times = 1): void {
    const minute = Math.floor(at / MINUTE_MS)
    const { counts } = this.#sumOf(flowId, minute)
    counts[INDEX.get(counter)!]! += times
    // A delivery that is accepted starts a run.
    if (counter === 'accepted') counts[INDEX.get('started')!]! += times
    if (bucket !== null) counts[FIRST_DURATION + bucket]! += times
    if (code !== null) this.#addError(flowId, Math.floor(at / HOUR_MS), code, times)
  }

  #sumOf(flowId: string, minute: number) {
    if (this.#latest?.minute === minute && this.#latest.flowId === flowId) return this.#latest
    const key = `${minute} ${flowId}`
    let sum = this.#byMinute.get(key)
    if (!sum) {
      sum = { flowId, minute, counts: COUNT_COLUMNS.map(() => 0) }
      this.#byMinute.set(key, sum)
    }
    this.#latest = sum
    return sum
  }

  #addError(flowId: string, hour: number, code: string, times: number): void {
    const key = `${hour} ${flowId} ${code}`
    const error = this.#errors.get(key)
    if (error) error[3] += times
    else this.#errors.set(key, [flowId, hour, code, times])
  }

  /** Hands each row to `put`, and begins anew. */
  take(put: (table: CountTable, row: Addition) => void): void {
    if (this.#byMinute.size === 0) return
    const sums = [...this.#byMinute.values()]
    const errors = [...this.#errors.values()]
    this.clear()
    for (const [table, unitMs] of Object.entries(UNITS) as [keyof typeof UNITS, number][]) {
      const rows = new Map<string, Addition>()
      for (const { flowId, minute, counts } of sums)
        for (const id of [flowId, ALL_FLOWS]) addTo(rows, id, Math.floor((minute * MINUTE_MS) / unitMs), counts)
      for (const row of rows.values()) put(table, row)
    }
    for (const error of errors) put('flow_error', error)
  }

  clear(): void {
    this.#latest = null
    if (this.#byMinute.size) this.#byMinute = new Map()
    if (this.#errors.size) this.#errors = new Map()
  }
}

function addTo(rows: Map<string, Addition>, flowId: string, at: number, counts: readonly number[]): void {
  const key = `${at} ${flowId}`
  const row = rows.get(key)
  if (row) for (const [i, count] of counts.entries()) row[i + 2] = (row[i + 2] as number) + count
  else rows.set(key, [flowId, at, ...counts])
}

const TIME_COLUMN = { flow_minute: 'minute', flow_hour: 'hour', flow_error: 'hour' } as const

/** Returns the keys and the counts of a table. */
export const columnsOfCounts = (table: CountTable): { keys: string[]; counts: readonly string[] } =>
  table === 'flow_error'
    ? { keys: ['flow_id', 'hour', 'code'], counts: ['runs'] }
    : { keys: ['flow_id', TIME_COLUMN[table]], counts: COUNT_COLUMNS }

/** Returns the end of an insert that adds to the row that is there. */
export const addOnConflict = (table: CountTable, counts = columnsOfCounts(table).counts): string => {
  const { keys } = columnsOfCounts(table)
  const sums = counts.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  return `on conflict (${keys.join(', ')}) do update set ${sums.join(', ')}`
}

/** Returns a statement with one `?` per column, for SQLite; columns that are left out stay as they are. */
export const addCounts = (table: CountTable, counts = columnsOfCounts(table).counts): string => {
  const { keys } = columnsOfCounts(table)
  const names = [...keys, ...counts]
  return `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${addOnConflict(table, counts)}`
}
