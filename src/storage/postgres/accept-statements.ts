// The statements by which runs are accepted on PostgreSQL.
import { MINUTE_MS } from '../../operations/ports/stats.ts'
import { IS_HANDLER } from '../rows/run-rows.ts'
import { type Columns, DATABASE_NOW, unnest } from './arrays.ts'
import { HELD, UNLIMITED } from './held.ts'

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

/** Returns the statement that counts the runs of `source`: those that a delivery started are accepted deliveries too. */
export const countedFrom = (source: string): string => `insert into flow_delta (flow_id, minute, counter, count)
    select flow_id, created_at / ${MINUTE_MS},
      case when replay_of is null and trigger is null then 'accepted' else 'started' end, count(*)
    from ${source} where test = 0 group by 1, 2, 3`

/** Returns the statement that stores the labels of the runs of `source`, so that runs are found by them. */
export const labelledFrom = (source: string): string => `insert into run_label (value, name, run_id)
    select label.value, label.key, id from ${source}, json_each_text(labels::json) as label where labels is not null`

export const INSERT = `
  with given as (select * from ${unnest('given_run', GIVEN)}),
  standing as (
    select given.*, flow.paused_at is not null and given.version is not null and given.test <> ${IS_HANDLER} as held from given left join flow on flow.id = given.flow_id
    where given.webhook_id is null or (flow.webhook_id = given.webhook_id and flow.version = given.version)),
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

export const HOLDER = `select dedupe.run_id from dedupe where flow_id = $1 and key = $2 and expires_at > $3
  and ($4::text is null or exists (select 1 from flow where id = $1 and webhook_id = $4 and version = $5))`
export const PRESENT = `select id, placed, (select last_value from change_count) as changes from run where id = any($1::text[])`
