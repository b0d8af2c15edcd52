// Adds up the failed runs of a transaction by group, and writes the sums before it commits.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { HOUR_MS } from '../../../operations/ports/stats.ts'
import type { FailedRun } from '../../rows/failures/causes.ts'
import { FAILURE_DELTA_KEYS } from '../../rows/failures/tables.ts'

const ADD = `INSERT INTO failure_delta (failure, hour, version, flow_id, step, code, status, message, count, first_at, last_at, run_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (${FAILURE_DELTA_KEYS.join(', ')}) DO UPDATE SET count = count + excluded.count,
    first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at), run_id = max(run_id, excluded.run_id)`

const hourOf = (at: number): number => Math.floor(at / HOUR_MS)

interface Sum {
  failed: FailedRun
  count: number
  firstAt: number
  lastAt: number
  latestRun: string
}

export class FailureCounters {
  readonly #add: StatementSync
  readonly #sums = new Map<string, Sum>()

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(ADD)
  }

  add(failed: FailedRun): void {
    const { failure, version, at, runId } = failed
    const key = `${failure}:${hourOf(at)}:${version}`
    const sum = this.#sums.get(key)
    if (!sum) {
      this.#sums.set(key, { failed, count: 1, firstAt: at, lastAt: at, latestRun: runId })
      return
    }
    sum.count++
    sum.firstAt = Math.min(sum.firstAt, at)
    sum.lastAt = Math.max(sum.lastAt, at)
    if (runId > sum.latestRun) sum.latestRun = runId
  }

  write(): void {
    if (this.#sums.size === 0) return
    for (const { failed: f, count, firstAt, lastAt, latestRun } of this.#sums.values())
      this.#add.run(
        f.failure,
        hourOf(f.at),
        f.version,
        f.flowId,
        f.step,
        f.code,
        f.status,
        f.message,
        count,
        firstAt,
        lastAt,
        latestRun,
      )
    this.forget()
  }

  forget(): void {
    this.#sums.clear()
  }
}
