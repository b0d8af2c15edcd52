// The statements by which runs are accepted on PostgreSQL.
import { MINUTE_MS } from '../../operations/ports/stats.ts'
import { NO_BUCKET, NO_CODE } from '../rows/flow-counts.ts'
import { IS_HANDLER } from '../rows/run-rows.ts'
import { type Columns, DATABASE_NOW, unnest } from './arrays.ts'
import { HELD, UNLIMITED } from './held.ts'
import { insertSteps } from './steps.ts'

export const GIVEN = {
  id: 'text',
  flow_id: 'text',
  version: 'int',
  document: 'text',
  test: 'int',
  hops: 'int',
  reply_status: 'int',
  request: 'text',
  raw_body: 'bytea',
  created_at: 'bigint',
  replay_of: 'text',
  sealed: 'text',
  trigger: 'text',
  parent_run: 'text',
  parent_step: 'text',
  parent_waits: 'int',
  labels: 'text',
  worker: 'text',
  at_once: 'int',
  reply_to: 'text',
  webhook_id: 'text',
  dedupe_key: 'text',
  dedupe_until: 'bigint',
} as const satisfies Columns

export type GivenRun = Record<keyof typeof GIVEN, string | number | Uint8Array | null> & { id: string; flow_id: string }

/** The parameter after the arrays: the time at which a dedupe key counts as expired. */
const NOW = `$${Object.keys(GIVEN).length + 1}::bigint`
const RUN_COLUMNS = Object.keys(GIVEN).filter((name) => !/^(webhook_id|dedupe_|worker$|at_once$)/.test(name))

/** Returns the statement that inserts the rows of `source`, which has the columns of a given run and `held`, as queued runs. */
export function insertFrom(source: string): string {
  return `insert into run (${RUN_COLUMNS.join(', ')}, worker, at_once, status, epoch, attempt, placed, due_at)
  select ${RUN_COLUMNS.join(', ')}, case when not held then worker end,
    case when held then coalesce(at_once, ${UNLIMITED}) else at_once end,
    'queued', case when worker is null or held then 0 else 1 end, 1,
    case when held then ${HELD} when at_once is null then null else 0 end,
    case when worker is null and at_once is null and not held then ${DATABASE_NOW} end
  from ${source}`
}

/** The columns of an inserted run that `countedFrom` and `labelledFrom` read. */
export const COUNTED_COLUMNS = 'id, flow_id, test, replay_of, trigger, created_at, labels'

const START_COUNTER = `case when replay_of is null and trigger is null then 'accepted' else 'started' end`

/** Returns the statement that counts the runs of `source`: those that a delivery started are accepted deliveries too. */
export const countedFrom = (source: string): string => `insert into flow_delta (flow_id, minute, counter, count)
    select flow_id, created_at / ${MINUTE_MS},
      ${START_COUNTER}, count(*)
    from ${source} where test = 0 group by 1, 2, 3`

/** Returns the statement that stores the labels of the runs of `source`, so that runs are found by them. */
export const labelledFrom = (source: string): string => `insert into run_label (value, name, run_id)
    select label.value, label.key, id from ${source}, json_each_text(labels::json) as label where labels is not null`

const IS_PAUSED = `(flow.paused_at is not null and given.version is not null and given.test <> ${IS_HANDLER})`
const IS_CURRENT = `(given.webhook_id is null or (flow.webhook_id = given.webhook_id and flow.version = given.version))`

export const INSERT = `
  with given as (select * from ${unnest('given_run', GIVEN)}),
  standing as (
    select given.*, ${IS_PAUSED} as held from given left join flow on flow.id = given.flow_id where ${IS_CURRENT}),
  taken as (
    insert into dedupe (flow_id, key, run_id, expires_at)
    select flow_id, dedupe_key, id, dedupe_until from standing where dedupe_key is not null order by flow_id, dedupe_key
    on conflict (flow_id, key) do update set run_id = excluded.run_id, expires_at = excluded.expires_at
      where dedupe.expires_at <= ${NOW}
    returning run_id),
  accepted as (
    ${insertFrom('standing')} where dedupe_key is null or id in (select run_id from taken)
    returning placed, ${COUNTED_COLUMNS}),
  counted as (${countedFrom('accepted')}),
  labelled as (${labelledFrom('accepted')})
  select id, placed, (select last_value from change_count) as changes from accepted`

/** What is given of a run that has begun before it is stored: no key, no limit of its flow, and how far it has come. */
const { at_once: _limit, dedupe_key: _key, dedupe_until: _until, ...FREE } = GIVEN
export const BEGUN = {
  ...FREE,
  known: 'bigint',
  status: 'text',
  started_at: 'bigint',
  finished_at: 'bigint',
  bucket: 'int',
} as const satisfies Columns

export type BegunRun = Record<keyof typeof BEGUN, string | number | Uint8Array | null>

/**
 * Stores runs as far as they have come. One whose flow is paused, or that did not know the latest changes (`known`), has not begun:
 * it is stored without what it did.
 */
export const INSERT_BEGUN = `
  with given as (select * from ${unnest('given_run', BEGUN)}),
  standing as (
    select given.*, ${IS_PAUSED} as held, not ${IS_PAUSED} and given.known = (select last_value from change_count) as begun
    from given left join flow on flow.id = given.flow_id where ${IS_CURRENT}),
  accepted as (
    insert into run (${RUN_COLUMNS.join(', ')}, worker, at_once, status, epoch, attempt, placed, due_at, started_at, finished_at)
    select ${RUN_COLUMNS.join(', ')}, case when begun and finished_at is null then worker end, case when held then ${UNLIMITED} end,
      case when begun then status else 'queued' end, case when begun then 1 else 0 end, 1, case when held then ${HELD} end,
      case when not begun and not held then ${DATABASE_NOW} end, case when begun then started_at end, case when begun then finished_at end
    from standing returning id, placed, epoch),
  counted as (
    insert into flow_delta (flow_id, minute, counter, bucket, code, count)
    select flow_id, created_at / ${MINUTE_MS}, ${START_COUNTER}, ${NO_BUCKET}, '${NO_CODE}', count(*)
    from standing where test = 0 group by 1, 2, 3
    union all
    select flow_id, finished_at / ${MINUTE_MS}, status, bucket, '${NO_CODE}', count(*)
    from standing where test = 0 and begun and finished_at is not null group by 1, 2, 3, 4),
  labelled as (${labelledFrom('standing')}),
  put as (${insertSteps(Object.keys(BEGUN).length + 1, 'run_id in (select id from standing where begun)')})
  select id, placed, epoch, (select last_value from change_count) as changes from accepted`

export const HOLDER = `select dedupe.run_id from dedupe where flow_id = $1 and key = $2 and expires_at > $3
  and ($4::text is null or exists (select 1 from flow where id = $1 and webhook_id = $4 and version = $5))`
export const PRESENT = `select id, placed, started_at, finished_at, (select last_value from change_count) as changes from run where id = any($1::text[])`
