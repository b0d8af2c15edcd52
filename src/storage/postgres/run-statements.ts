// The statements by which runs are claimed and journalled on PostgreSQL.
import { SMALL_RUN } from '../../engine/ports/run-journal.ts'
import { HOUR_MS, MINUTE_MS } from '../../operations/ports/stats.ts'
import { NO_VERSION } from '../rows/failures/causes.ts'
import { IS_HANDLER } from '../rows/run-rows.ts'
import { type Columns, DATABASE_NOW, unnest } from './arrays.ts'
import { PLACE_GIVEN } from './held.ts'
import { putSteps } from './steps.ts'

export const PROGRESS = {
  id: 'text',
  epoch: 'int',
  status: 'text',
  started_at: 'bigint',
  finished_at: 'bigint',
  resume_at: 'bigint',
  error: 'text',
  wait_ms: 'bigint',
  again: 'int',
  counts: 'int',
  bucket: 'int',
  error_code: 'text',
} as const satisfies Columns

/** The group of a run that failed. */
export const FAILED = {
  failure: 'text',
  failed_step: 'text',
  failed_status: 'int',
  failed_message: 'text',
} as const satisfies Columns

/**
 * Only the holder of the latest claim writes. `again`: an earlier attempt at the same write may have succeeded although its
 * reply was lost; then the run already is as this write leaves it, and writing it again changes nothing. `counts`: whether the
 * end of the run is still to be counted. `failing`: whether runs failed, which are counted in their groups.
 */
const recordStatement = (failing: boolean): string => {
  const columns = failing ? { ...PROGRESS, ...FAILED } : PROGRESS
  const returned = Object.keys(FAILED).map((name) => `given.${name}`)
  return `
  with given as (select * from ${unnest('given_progress', columns)}),
  fenced as (
    update run set status = given.status, started_at = given.started_at, finished_at = given.finished_at,
      resume_at = given.resume_at, error = given.error,${failing ? '\n      failure = case when run.test = 0 then given.failure end,' : ''}
      worker = case when given.status = 'running' then run.worker end,
      due_at = case when given.status = 'waiting' then ${DATABASE_NOW} + given.wait_ms end
    from given where run.id = given.id and run.epoch = given.epoch and (run.finished_at is null
      or (given.again = 1 and run.status = given.status and run.finished_at = given.finished_at))
    returning run.id, run.flow_id, run.test, given.status, given.finished_at, given.counts, given.bucket, given.error_code${failing ? `, run.version, ${returned.join(', ')}` : ''}),
  counted as (
    insert into flow_delta (flow_id, minute, counter, bucket, code, count)
    select flow_id, finished_at / ${MINUTE_MS}, status, bucket, error_code, count(*) from fenced
    where finished_at is not null and test = 0 and counts = 1 group by 1, 2, 3, 4, 5),${failing ? GROUPED : ''}
  put as (${putSteps(Object.keys(columns).length + 1, 'run_id in (select id from fenced)')})
  select id from fenced`
}

const GROUPED = `
  grouped as (
    insert into failure_delta (failure, flow_id, step, code, status, message, version, hour, count, first_at, last_at, run_id)
    select failure, flow_id, failed_step, error_code, failed_status, failed_message, coalesce(version, ${NO_VERSION}),
      finished_at / ${HOUR_MS}, count(*), min(finished_at), max(finished_at), max(id)
    from fenced where failure is not null and test = 0 and counts = 1 group by 1, 2, 3, 4, 5, 6, 7, 8),`

export const RECORD = recordStatement(false)
export const RECORD_FAILED = recordStatement(true)

export const ALERT_EVENT = {
  id: 'text',
  kind: 'text',
  flow_id: 'text',
  at: 'bigint',
  code: 'text',
} as const satisfies Columns

/** Tells the alerts of the ends of runs; one whose insertion was in doubt may be there. */
export const ALERT = `insert into alert_event (id, kind, flow_id, run_id, at, code)
  select id, kind, flow_id, id, at, code from ${unnest('given_event', ALERT_EVENT)} on conflict (id) do nothing`

/** Marks runs whose data is deleted some time after their end. */
export const MARK_TO_ERASE = 'update run set erased = 0 where id = any($1::text[]) and erased is null'

/** Locks runs in the order of their ids, as every statement does that changes several. */
export const LOCK = `select id from run where id = any($1::text[]) order by id for update`
/** A run that gave its place back joins the line of its flow; one that is in line already is due when it gets its place. */
const wakes = `update run set due_at = case when placed = ${PLACE_GIVEN} then null else ${DATABASE_NOW} end,
  placed = case when placed = ${PLACE_GIVEN} then 0 else placed end
  where status = 'waiting' and worker is null and finished_at is null and placed is distinct from 0
  and (due_at is null or due_at > ${DATABASE_NOW})`
/** Makes waiting runs due: $1 if one of theirs has ended, those of $2 whose awaited run of $3 has ended already. */
export const WAKE = `${wakes} and (id = any($1::text[]) or id in (
    select given.id from unnest($2::text[], $3::text[]) as given(id, child)
    join run as child on child.id = given.child where child.finished_at is not null))`
/** Makes those of $1 due whose awaited callback of $2 is answered already, or has an answer that the run has not looked at. */
export const WAKE_ANSWERED = `${wakes} and id in (
    select given.id from unnest($1::text[], $2::text[]) as given(id, path)
    join callback on callback.run_id = given.id and callback.path = given.path where callback.state <> 'open')`
/** Takes the place of runs that wait for a callback: they join the line of their flow again when they are due. */
export const GIVE_PLACE = `update run set placed = ${PLACE_GIVEN}, due_at = null where id = any($1::text[]) and placed = 1
  and status = 'waiting'`
export const FENCE = `select run.id from unnest($1::text[], $2::int[]) as given(id, epoch)
  join run on run.id = given.id and run.epoch = given.epoch and run.finished_at is null for update of run`
/** Waits for an earlier attempt that may still be under way. */
export const ENDS = `select id, finished_at from run where id = any($1::text[]) order by id for update`
export const PUT_STEPS = putSteps(1)
export const CLAIM = `update run set epoch = epoch + 1, worker = $2, due_at = null
  where id = $1 and finished_at is null and (worker is null or worker = $2) returning *`
/** What a failure handler reads of the failed run. */
const FAILED_BYTES = `coalesce((select octet_length(failed.raw_body) + coalesce(octet_length(failed.sealed), 0) + (select
  coalesce(sum(coalesce(octet_length(output), 0) + coalesce(octet_length(sealed), 0)), 0) from step
  where run_id = failed.id and path not like '%[%') from run as failed where failed.id = run.parent_run), 0)`
/** The bytes that reading a run takes; 0 for small runs, which are most. A run that was never claimed has no steps. */
const BYTES = `case when octet_length(raw_body) > ${SMALL_RUN} or epoch > 0 then octet_length(raw_body) +
  coalesce(octet_length(sealed), 0) + (select coalesce(sum(coalesce(octet_length(output), 0) + coalesce(octet_length(sealed), 0)), 0)
  from step where run_id = run.id and path not like '%[%') else 0 end
  + case when test = ${IS_HANDLER} then ${FAILED_BYTES} else 0 end`
// A large run for which there is no room does not hold up the small runs behind it.
export const CLAIM_READY = `with ready as (
    select id, due_at, ${BYTES} as bytes from run where due_at is not null and finished_at is null and due_at <= ${DATABASE_NOW}
    order by due_at, id limit $2 for update skip locked),
  sized as (select id, bytes, sum(case when bytes > ${SMALL_RUN} then bytes else 0 end) over (order by due_at, id) as together,
    row_number() over (partition by bytes > ${SMALL_RUN} order by due_at, id) as nth from ready)
  update run set epoch = epoch + 1, worker = $1, due_at = null where id = any(array(
    select id from sized where bytes <= ${SMALL_RUN} or together <= $3 or (nth = 1 and bytes <= $4)))
  returning *, (select bytes from sized where sized.id = run.id) as bytes, (select last_value from change_count) as changes`
// The rounds of a loop are read when the run reaches the loop: there may be a hundred thousand.
export const STEPS = `select * from step where run_id = $1 and path not like '%[%' order by seq`
// A step assigns the same names each time, so only its latest entry counts.
export const ASSIGNED = `select * from step where run_id = $1 and outcome = 'assign' and seq in
  (select max(seq) from step where run_id = $1 and outcome = 'assign' group by id) order by seq`
export const LAST_SEQ = `select max(seq) as seq from step where run_id = $1`
export const ROUNDS = `select * from step where run_id = $1 and path >= $2 and path < $3 and kind = 'round'`
export const LATEST = `select * from step where run_id = $1 and path >= $2 and path < $3 and seq in (select max(seq) from step
  where run_id = $1 and path >= $2 and path < $3 and kind <> 'round' and outcome is not null group by id) order by seq`
export const UNDER = `select * from step where run_id = $1 and path >= $2 and path < $3 order by seq`
export const BEFORE = `select * from step where run_id = $1 and seq < $2 order by seq`
export const PATHS_FROM = `select path from step where run_id = $1 and seq >= $2`
export const REPLY = `select * from step where run_id = $1 and outcome = 'reply' order by seq limit 1`
export const ANY_RUN = `select * from run where id = $1`
export const STEP = `select * from step where run_id = $1 and path = $2 and outcome is not null and attempt = $3`

export const STANDING = `select id, epoch from run where id = any($1::text[]) and finished_at is null`
