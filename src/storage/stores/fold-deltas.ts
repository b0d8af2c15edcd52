// Adds up, on PostgreSQL, what the processes counted: their rows go into those of minutes, hours and errors.
import { type Kysely, sql } from 'kysely'
import { COUNTERS, HOUR_MS, MINUTE_MS } from '../../operations/ports/stats.ts'
import { ALL_FLOWS, addOnConflict, COUNT_COLUMNS, columnsOfCounts } from '../rows/flow-counts.ts'
import type { Tables } from '../rows/tables.ts'

const MINUTES_PER_HOUR = HOUR_MS / MINUTE_MS
/** The rows of one transaction, which holds up other readers of the counters. */
const BATCH = 5_000

const conditionOf = (column: string): string => {
  // A delivery that is accepted starts a run.
  if (column === 'started') return `counter in ('accepted', 'started')`
  return (COUNTERS as readonly string[]).includes(column) ? `counter = '${column}'` : `bucket = ${column.slice(1)}`
}
const SUMS = COUNT_COLUMNS.map((name) => `coalesce(sum(count) filter (where ${conditionOf(name)}), 0)`).join(', ')

const addTo = (table: 'flow_minute' | 'flow_hour', time: string): string => {
  const { keys, counts } = columnsOfCounts(table)
  return `insert into ${table} (${[...keys, ...counts].join(', ')})
    select id, ${time}, ${SUMS} from gone cross join lateral (values (flow_id), ('${ALL_FLOWS}')) as of(id)
    group by 1, 2 ${addOnConflict(table)}`
}

// One statement: the rows go and their sums come together.
const FOLD = `with gone as (
    delete from flow_delta where id in (select id from flow_delta order by id limit ${BATCH})
    returning flow_id, minute, counter, bucket, code, count),
  minutes as (${addTo('flow_minute', 'minute')}),
  hours as (${addTo('flow_hour', `minute / ${MINUTES_PER_HOUR}`)}),
  errors as (
    insert into flow_error (flow_id, hour, code, runs)
    select flow_id, minute / ${MINUTES_PER_HOUR}, code, sum(count) from gone where code is not null group by 1, 2, 3
    ${addOnConflict('flow_error')})
  select count(*) as rows from gone`

export async function foldDeltas(db: Kysely<Tables>): Promise<void> {
  for (;;) {
    const folded = await db.transaction().execute(async (tx) => {
      // One process at a time: two would wait for each other's rows. A reader waits for it, to miss nothing.
      await sql`select pg_advisory_xact_lock(hashtextextended('fold-deltas', 2))`.execute(tx)
      const { rows } = await sql<{ rows: number }>`${sql.raw(FOLD)}`.execute(tx)
      return rows[0]!.rows
    })
    if (folded < BATCH) return
  }
}
