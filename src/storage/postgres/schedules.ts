// Finds the schedules that are due and starts their runs, on PostgreSQL, by its clock. One statement moves schedules on and
// stores their runs; a schedule that another process is moving on is left to it.
import type { Firing, ScheduleStore } from '../../operations/ports/schedules.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { toDueSchedule } from '../rows/schedule-rows.ts'
import type { ScheduleTable } from '../rows/tables.ts'
import { givenRun } from './accept.ts'
import { COUNTED_COLUMNS, countedFrom, GIVEN, type GivenRun, insertFrom, labelledFrom } from './accept-statements.ts'
import { arrays, type Columns, DATABASE_NOW, unnest } from './arrays.ts'
import { Batches } from './batches.ts'
import type { HotPool } from './database.ts'

const OF_FLOWS_THAT_RUN = 'from schedule join flow on flow.id = schedule.flow_id where flow.paused_at is null'
const NOW = `select ${DATABASE_NOW} as now`
const DUE = `select schedule.* ${OF_FLOWS_THAT_RUN} and schedule.runs_at <= $1 order by schedule.runs_at limit $2`
const NEXT = `select schedule.runs_at as at ${OF_FLOWS_THAT_RUN} and schedule.runs_at > $1 order by schedule.runs_at limit 1`

const MOVED = {
  flow_id: 'text',
  version: 'int',
  at: 'bigint',
  next_at: 'bigint',
  runs_at: 'bigint',
  previous_at: 'bigint',
  missed: 'int',
} as const satisfies Columns

const OCCURRENCE = { flow_id: 'text', at: 'bigint', run_id: 'text' } as const satisfies Columns

const RUNS_FROM = Object.keys(MOVED).length + 1
const OCCURRENCES_FROM = RUNS_FROM + Object.keys(GIVEN).length

const FIRE = `
  with given as (select * from ${unnest('given_schedule', MOVED)}),
  held as (
    select schedule.flow_id from schedule join given on given.flow_id = schedule.flow_id
    where schedule.next_at = given.at and schedule.version = given.version
      and not exists (select 1 from flow where flow.id = schedule.flow_id and flow.paused_at is not null)
    for update of schedule skip locked),
  moved as (
    update schedule set next_at = given.next_at, runs_at = given.runs_at, previous_at = given.previous_at, missed = given.missed
    from given where schedule.flow_id = given.flow_id and schedule.flow_id in (select flow_id from held)
    returning schedule.flow_id),
  started as (${insertFrom(`(select *, false as held from ${unnest('given_run', GIVEN, RUNS_FROM)}) as new_run`)} where flow_id in (select flow_id from moved)
    returning ${COUNTED_COLUMNS}),
  counted as (${countedFrom('started')}),
  labelled as (${labelledFrom('started')}),
  noted as (
    insert into occurrence (flow_id, at, run_id)
    select flow_id, at, run_id from ${unnest('given_occurrence', OCCURRENCE, OCCURRENCES_FROM)}
    where flow_id in (select flow_id from moved))
  select flow_id from moved`

const MOST_AT_ONCE = 100
const NOBODY = { node: '' }

export function createPostgresSchedules(hot: HotPool, protect: Protect): Pick<ScheduleStore, 'due' | 'fire'> {
  const batches = new Batches<Firing, boolean>({
    lanes: 1,
    most: MOST_AT_ONCE,
    send: (firings) => fireAll(hot, firings, protect),
    onSent: () => {},
  })
  return {
    async due(limit) {
      const [clock] = await hot.query<{ now: number }>({ name: 'schedule-clock', text: NOW, values: [] })
      const { now } = clock!
      const rows = await hot.query<ScheduleTable>({ name: 'schedules-due', text: DUE, values: [now, limit] })
      const [next] = await hot.query<{ at: number }>({ name: 'schedule-next', text: NEXT, values: [now] })
      return { now, schedules: rows.map(toDueSchedule), nextAt: next?.at ?? null }
    },
    fire: (firing) => batches.add(firing),
  }
}

async function fireAll(hot: HotPool, firings: readonly Firing[], protect: Protect): Promise<boolean[]> {
  const moves = firings.map(({ flowId, version, at, becomes }) => ({
    flow_id: flowId,
    version,
    at,
    next_at: becomes.nextAt,
    runs_at: becomes.runsAt,
    previous_at: becomes.previousAt,
    missed: becomes.missed,
  }))
  const runs: GivenRun[] = []
  const occurrences: Record<keyof typeof OCCURRENCE, unknown>[] = []
  for (const { flowId, concurrency, occurrences: times } of firings)
    for (const { at, run } of times) {
      occurrences.push({ flow_id: flowId, at, run_id: run?.id ?? null })
      const terms = { concurrency, awaited: false, route: null }
      if (run) runs.push(givenRun(run, null, terms, NOBODY, null, protect))
    }
  const values = [...arrays(MOVED, moves), ...arrays(GIVEN, runs), ...arrays(OCCURRENCE, occurrences)]
  const moved = await hot.query<{ flow_id: string }>({ name: 'fire-schedules', text: FIRE, values })
  const done = new Set(moved.map(({ flow_id }) => flow_id))
  return firings.map(({ flowId }) => done.has(flowId))
}
