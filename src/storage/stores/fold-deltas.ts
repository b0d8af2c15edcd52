// Adds up what was counted: its rows go into those of minutes, hours and errors.
import { type Kysely, sql } from 'kysely'
import { COUNTERS, HOUR_MS, MINUTE_MS } from '../../operations/ports/stats.ts'
import { isPostgres } from '../rows/dialect.ts'
import { ALL_FLOWS, addOnConflict, COUNT_COLUMNS, columnsOfCounts, NO_CODE } from '../rows/flow-counts.ts'
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

/** Returns a statement that adds what stands in `source` to a table, for its flow and for all flows. */
const addTo = (table: 'flow_minute' | 'flow_hour', time: string, source: string): string => {
  const { keys, counts } = columnsOfCounts(table)
  const twice = ['flow_id', `'${ALL_FLOWS}'`].map(
    (id) => `select ${id} as id, minute, counter, bucket, count from ${source}`,
  )
  return `insert into ${table} (${[...keys, ...counts].join(', ')})
    select id, ${time}, ${SUMS} from (${twice.join(' union all ')}) as counted where true group by 1, 2 ${addOnConflict(table)}`
}

const statementsOn = (source: string) => ({
  minutes: addTo('flow_minute', 'minute', source),
  hours: addTo('flow_hour', `minute / ${MINUTES_PER_HOUR}`, source),
  errors: `insert into flow_error (flow_id, hour, code, runs)
    select flow_id, minute / ${MINUTES_PER_HOUR}, code, sum(count) from ${source} where code <> '${NO_CODE}' group by 1, 2, 3
    ${addOnConflict('flow_error')}`,
})

const gone = statementsOn('gone')
// One statement: the rows go and their sums come together.
const FOLD = `with gone as (
    delete from flow_delta where id in (select id from flow_delta order by id limit ${BATCH})
    returning flow_id, minute, counter, bucket, code, count),
  minutes as (${gone.minutes}), hours as (${gone.hours}), errors as (${gone.errors})
  select count(*) as rows from gone`

/** On SQLite the rows are few: one per flow, minute and counter. */
const FOLD_ALL = [...Object.values(statementsOn('flow_delta')), 'delete from flow_delta']

export async function foldDeltas(db: Kysely<Tables>): Promise<void> {
  if (isPostgres(db)) return foldInBatches(db)
  // Without anything to add there is nothing to write and to sync.
  if (!(await db.selectFrom('flow_delta').select('minute').limit(1).executeTakeFirst())) return
  await db.transaction().execute(async (tx) => {
    for (const text of FOLD_ALL) await sql.raw(text).execute(tx)
  })
}

async function foldInBatches(db: Kysely<Tables>): Promise<void> {
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
