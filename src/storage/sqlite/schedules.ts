// Finds the schedules that are due and starts their runs, on SQLite: one write each, in the group commits of deliveries.
import type { Firing, ScheduleStore } from '../../operations/ports/schedules.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { toDueSchedule } from '../rows/schedule-rows.ts'
import type { ScheduleTable } from '../rows/tables.ts'
import type { SqliteStorage } from './database.ts'
import type { HotStatement } from './hot/hot-writes.ts'
import { startOf } from './run-start.ts'

const OF_FLOWS_THAT_RUN = 'FROM schedule JOIN flow ON flow.id = schedule.flow_id WHERE flow.paused_at IS NULL'

export function createSqliteSchedules(
  { raw, hot }: Pick<SqliteStorage, 'raw' | 'hot'>,
  protect: Protect,
  now: () => number,
): Pick<ScheduleStore, 'due' | 'fire'> {
  const selectDue = raw.prepare(
    `SELECT schedule.* ${OF_FLOWS_THAT_RUN} AND schedule.runs_at <= ? ORDER BY schedule.runs_at LIMIT ?`,
  )
  const selectNext = raw.prepare(
    `SELECT schedule.runs_at AS at ${OF_FLOWS_THAT_RUN} AND schedule.runs_at > ? ORDER BY schedule.runs_at LIMIT 1`,
  )

  return {
    async due(limit) {
      const at = now()
      const rows = selectDue.all(at, limit) as unknown as ScheduleTable[]
      const next = selectNext.get(at)
      return { now: at, schedules: rows.map(toDueSchedule), nextAt: (next?.['at'] as number | undefined) ?? null }
    },

    async fire({ flowId, version, at, becomes, occurrences }: Firing) {
      const { nextAt, runsAt, previousAt, missed } = becomes
      const moved: HotStatement = ['moveSchedule', [nextAt, runsAt, previousAt, missed, flowId, version, at]]
      const started = occurrences.flatMap(({ at: time, run }): HotStatement[] => {
        const noted: HotStatement = ['insertOccurrence', [flowId, time, run?.id ?? null]]
        if (!run) return [noted]
        return [...startOf(run, protect), noted]
      })
      return (await hot.write([moved, ...started])) > 0
    },
  }
}
