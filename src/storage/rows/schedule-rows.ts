// Converts rows of the schedule table to the types of the operations.
import type { DueSchedule, ScheduleRecord } from '../../operations/ports/schedules.ts'
import type { ScheduleTable } from './tables.ts'

export const toSchedule = (row: Omit<ScheduleTable, 'flow_id' | 'version'>): ScheduleRecord => ({
  settings: row.settings,
  nextAt: row.next_at,
  runsAt: row.runs_at,
  previousAt: row.previous_at,
  since: row.since,
  missed: row.missed,
})

/** Expects the row of a schedule that has a next time. */
export const toDueSchedule = (row: ScheduleTable): DueSchedule => ({
  ...toSchedule(row),
  flowId: row.flow_id,
  version: row.version,
  nextAt: row.next_at!,
  runsAt: row.runs_at!,
})
