// The hold that this process has on a run, on SQLite.
import type { Claim, NewRun } from '../../engine/ports/run-journal.ts'
import { testColumn, wakenBy } from '../rows/run-rows.ts'
import type { RunTable } from '../rows/tables.ts'
import type { OpenWrite } from './hot/hot-writer.ts'

/** This process alone owns the file, so a claim needs no write: the first record carries it. */
export interface SqliteClaim extends Claim {
  writtenEpoch: number
  flowId: string
  version: number | null
  /** Whether the end of the run is not counted: that of a test, or of a failure handler. */
  test: boolean
  /** The run that waits for this one. */
  wakes: string | null
  /** The write of the start of a run that has begun before it. */
  start: OpenWrite | null
}

export const claimOfNew = (run: NewRun, start: OpenWrite | null = null): SqliteClaim => ({
  runId: run.id,
  epoch: 1,
  writtenEpoch: 0,
  flowId: run.flowId,
  version: run.version,
  test: testColumn(run) !== 0,
  wakes: wakenBy(run),
  start,
})

export const claimOf = (row: RunTable): SqliteClaim => ({
  runId: row.id,
  epoch: row.epoch + 1,
  writtenEpoch: row.epoch,
  flowId: row.flow_id,
  version: row.version,
  test: row.test !== 0,
  wakes: row.parent_waits === 1 ? row.parent_run : null,
  start: null,
})
