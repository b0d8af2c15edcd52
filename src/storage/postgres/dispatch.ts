// Decides which process runs what, on PostgreSQL: the table of runs is the queue, and a free process takes the next run.
import type { DispatchStore } from '../../operations/ports/queue.ts'
import { DATABASE_NOW } from './arrays.ts'
import type { HotPool } from './database.ts'
import { HOLD, IS_HELD, PLACE_GIVEN } from './held.ts'
import type { PostgresRunJournal } from './run-journal.ts'

const READY = `due_at is not null and finished_at is null`
const IN_LINE = `at_once is not null and placed = 0 and finished_at is null`

const NEXT_DUE = `select min(due_at) - ${DATABASE_NOW} as ms from run where ${READY}`
const WAITING = `select (select count(*) from (select 1 from run where ${READY} and due_at <= ${DATABASE_NOW} limit $1) as ready)
  + (select count(*) from (select 1 from run where ${IN_LINE} limit $1) as line) as n`
const LINES = `select flow_id, min(id) as first from run where ${IN_LINE} group by flow_id`
const LINE_LOCK = `select pg_advisory_xact_lock(hashtextextended($1, 1))`
const PLACED = `select count(*) as n from run where flow_id = $1 and at_once is not null and placed = 1 and finished_at is null`
// Runs with an answer come first, in the order of their answers: they began before those that have not begun.
const FIRST_IN_LINE = `(select id, at_once from run where flow_id = $1 and ${IN_LINE} and status = 'waiting'
    order by resume_at, id limit $2)
  union all (select id, at_once from run where flow_id = $1 and ${IN_LINE} and status <> 'waiting' order by id limit $2)`
const LINE_UP = `update run set placed = 0 where placed = ${PLACE_GIVEN} and finished_at is null and resume_at <= $1
  and worker is null and status = 'waiting' returning flow_id`
const PLACE = `update run set placed = 1, due_at = ${DATABASE_NOW} where id = any($1::text[]) and ${IN_LINE}`
const HELD = `select id, epoch from run where worker = $1 and finished_at is null`
const PUT_BACK = `update run set worker = null, due_at = ${DATABASE_NOW}, epoch = run.epoch + 1
  from unnest($2::text[], $3::int[]) as given(id, epoch)
  where run.id = given.id and run.epoch = given.epoch and run.worker = $1 and run.finished_at is null`
const ENLIST = `insert into worker (id, beat, started_at) values ($1, 0, ${DATABASE_NOW})`
const BEAT = `update worker set beat = beat + 1 where id = $1 returning id`
const BEATS = `select id, beat from worker`
const STRIKE = `delete from worker where id = $1 and beat = $2`
// The new epoch keeps out a former holder that is still alive; an attempt is counted if the run had begun.
const FREE = `update run set worker = null, due_at = ${DATABASE_NOW}, epoch = epoch + 1,
    attempt = attempt + case when status = 'running' then 1 else 0 end
  where id = any(array(select id from run where worker is not null and finished_at is null
    and not exists (select 1 from worker where worker.id = run.worker) order by id for update skip locked))
  returning id`
const RELEASE = `update run set worker = null, due_at = ${DATABASE_NOW}, epoch = epoch + 1
  where worker = $1 and finished_at is null`
const REMOVE = `delete from worker where id = $1`
const OLD_MESSAGES = `delete from message where created_at < ${DATABASE_NOW} - $1`

const PAUSE = `${HOLD} and flow_id = $1`
const RESUME = `update run set placed = 0 where flow_id = $1 and ${IS_HELD}`
const RESUME_STRANDED = `update run set placed = 0 where ${IS_HELD}
  and not exists (select 1 from flow where flow.id = run.flow_id and flow.paused_at is not null)`
const HELD_RUNS = `select count(*) as n from (select 1 from run where ${IS_HELD}
  and flow_id in (select id from flow where paused_at is not null and ($2::text is null or id = $2)) limit $1) as held`

const HELD_AMONG = `select id from run where id = any($1::text[]) and ${IS_HELD}`

const ADMIT_AT_ONCE = 100
/** A caller waits for a reply for five minutes at most. */
const KEEP_MESSAGES_MS = 600_000

export function createDispatchStore(
  hot: HotPool,
  claimReady: PostgresRunJournal['claimReady'],
  now: () => number,
): DispatchStore {
  const query = <Row>(name: string, text: string, values: unknown[] = []) => hot.query<Row>({ name, text, values })

  return {
    take: (worker, limit, room) => claimReady(worker, limit, now(), room),

    async nextDueIn() {
      const [row] = await query<{ ms: number | null }>('next-due', NEXT_DUE)
      return row?.ms ?? null
    },

    async waiting(most) {
      const [row] = await query<{ n: number }>('waiting', WAITING, [most])
      return row!.n
    },

    admit: (flowId) =>
      hot.transaction(async (inside) => {
        const ask = <Row>(name: string, text: string, values: unknown[]) => inside<Row>({ name, text, values })
        // One transaction per flow counts at a time: two at once would both find room.
        await ask('line-lock', LINE_LOCK, [flowId])
        const [placed] = await ask<{ n: number }>('placed', PLACED, [flowId])
        const line = await ask<{ id: string; at_once: number }>('first-in-line', FIRST_IN_LINE, [flowId, ADMIT_AT_ONCE])
        const admitted: string[] = []
        // The limit of the first run in line counts: another version of the flow may allow more or fewer.
        for (const { id, at_once } of line) {
          if (placed!.n + admitted.length >= at_once) break
          admitted.push(id)
        }
        if (admitted.length) await ask('place', PLACE, [admitted])
        return admitted.length > 0
      }),

    async lineUp() {
      const rows = await query<{ flow_id: string }>('line-up', LINE_UP, [now()])
      return [...new Set(rows.map(({ flow_id }) => flow_id))]
    },

    async lines() {
      const rows = await query<{ flow_id: string; first: string }>('lines', LINES)
      return rows.map(({ flow_id, first }) => ({ flowId: flow_id, firstRunId: first }))
    },

    async pause(flowId) {
      await query('pause', PAUSE, [flowId])
    },

    async resume(flowId) {
      await query('resume', RESUME, [flowId])
    },

    async resumeStranded() {
      await query('resume-stranded', RESUME_STRANDED)
    },

    async held(most, flowId) {
      const [row] = await query<{ n: number }>('held-runs', HELD_RUNS, [most, flowId ?? null])
      return row!.n
    },

    async heldAmong(runIds) {
      return (await query<{ id: string }>('held-among', HELD_AMONG, [runIds])).map(({ id }) => id)
    },

    async heldBy(worker) {
      const rows = await query<{ id: string; epoch: number }>('held', HELD, [worker])
      return rows.map(({ id, epoch }) => ({ runId: id, epoch }))
    },

    async putBack(worker, claims) {
      await query('put-back', PUT_BACK, [worker, claims.map(({ runId }) => runId), claims.map(({ epoch }) => epoch)])
    },

    async enlist(worker) {
      await query('enlist', ENLIST, [worker])
    },

    async beat(worker) {
      return (await query('beat', BEAT, [worker])).length > 0
    },

    async beats() {
      const rows = await query<{ id: string; beat: number }>('beats', BEATS)
      return new Map(rows.map(({ id, beat }) => [id, beat]))
    },

    async strike(worker, beat) {
      await query('strike', STRIKE, [worker, beat])
    },

    async freeOrphans() {
      await query('old-messages', OLD_MESSAGES, [KEEP_MESSAGES_MS])
      return (await query('free', FREE)).length
    },

    async leave(worker) {
      await query('release', RELEASE, [worker])
      await query('remove', REMOVE, [worker])
    },
  }
}
