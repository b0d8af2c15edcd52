// Claims runs and journals outcomes on PostgreSQL; outcomes that are recorded together share one statement.
import {
  type ClaimedRun,
  type JournalEntry,
  type NewRun,
  type RunJournal,
  type RunProgress,
  SMALL_RUN,
} from '../../engine/ports/run-journal.ts'
import type { Room, TakenRun } from '../../operations/ports/queue.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { MINUTE_MS } from '../../operations/ports/stats.ts'
import { StorageUnavailable } from '../../operations/ports/storage-unavailable.ts'
import { runBinding } from '../rows/bindings.ts'
import { countedEnd } from '../rows/flow-counts.ts'
import {
  entriesUnder,
  isOfOwnRound,
  pathsAround,
  replayed,
  roundIndex,
  roundsUnder,
  settleOperation,
} from '../rows/journal-rows.ts'
import { revealedRequest } from '../rows/request-columns.ts'
import { toClaimedRun } from '../rows/run-rows.ts'
import { revealedStep, shownJson, toJson } from '../rows/step-columns.ts'
import type { RunTable, StepTable } from '../rows/tables.ts'
import { createAccept, givenRun, insertRun, type PostgresClaim, type RunsHere } from './accept.ts'
import { arrays, type Columns, DATABASE_NOW, unnest } from './arrays.ts'
import { Batches } from './batches.ts'
import type { HotPool } from './database.ts'
import { type FlowOperation, operateKeys } from './key-values.ts'
import { latestOfEachPath, putSteps, STEP_COLUMNS, stepRow } from './steps.ts'

const PROGRESS = {
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

/**
 * Only the holder of the latest claim writes. `again`: an earlier attempt at the same write may have succeeded although its
 * reply was lost; then the run already is as this write leaves it, and writing it again changes nothing. `counts`: whether the
 * end of the run is still to be counted.
 */
const RECORD = `
  with given as (select * from ${unnest('given_progress', PROGRESS)}),
  fenced as (
    update run set status = given.status, started_at = given.started_at, finished_at = given.finished_at,
      resume_at = given.resume_at, error = given.error,
      worker = case when given.status = 'running' then run.worker end,
      due_at = case when given.status = 'waiting' then ${DATABASE_NOW} + given.wait_ms end
    from given where run.id = given.id and run.epoch = given.epoch and (run.finished_at is null
      or (given.again = 1 and run.status = given.status and run.finished_at = given.finished_at))
    returning run.id, run.flow_id, run.test, given.status, given.finished_at, given.counts, given.bucket, given.error_code),
  counted as (
    insert into flow_delta (flow_id, minute, counter, bucket, code, count)
    select flow_id, finished_at / ${MINUTE_MS}, status, bucket, error_code, count(*) from fenced
    where finished_at is not null and test = 0 and counts = 1 group by 1, 2, 3, 4, 5),
  put as (${putSteps(Object.keys(PROGRESS).length + 1, 'run_id in (select id from fenced)')})
  select id from fenced`

const FENCE = `select run.id from unnest($1::text[], $2::int[]) as given(id, epoch)
  join run on run.id = given.id and run.epoch = given.epoch and run.finished_at is null for update of run`
/** Waits for an earlier attempt that may still be under way. */
const ENDS = `select id, finished_at from run where id = any($1::text[]) order by id for update`
const PUT_STEPS = putSteps(1)
const CLAIM = `update run set epoch = epoch + 1, worker = $2, due_at = null
  where id = $1 and finished_at is null and (worker is null or worker = $2) returning *`
/** The bytes that reading a run takes; 0 for small runs, which are most. A run that was never claimed has no steps. */
const BYTES = `case when octet_length(raw_body) > ${SMALL_RUN} or epoch > 0 then octet_length(raw_body) +
  coalesce(octet_length(sealed), 0) + (select coalesce(sum(coalesce(octet_length(output), 0) + coalesce(octet_length(sealed), 0)), 0)
  from step where run_id = run.id and path not like '%[%') else 0 end`
// A large run for which there is no room does not hold up the small runs behind it.
const CLAIM_READY = `with ready as (
    select id, due_at, ${BYTES} as bytes from run where due_at is not null and finished_at is null and due_at <= ${DATABASE_NOW}
    order by due_at, id limit $2 for update skip locked),
  sized as (select id, bytes, sum(case when bytes > ${SMALL_RUN} then bytes else 0 end) over (order by due_at, id) as together,
    row_number() over (partition by bytes > ${SMALL_RUN} order by due_at, id) as nth from ready)
  update run set epoch = epoch + 1, worker = $1, due_at = null where id = any(array(
    select id from sized where bytes <= ${SMALL_RUN} or together <= $3 or (nth = 1 and $4)))
  returning *, (select bytes from sized where sized.id = run.id) as bytes, (select last_value from change_count) as changes`
// The rounds of a loop are read when the run reaches the loop: there may be a hundred thousand.
const STEPS = `select * from step where run_id = $1 and path not like '%[%' order by seq`
// A step assigns the same names each time, so only its latest entry counts.
const ASSIGNED = `select * from step where run_id = $1 and outcome = 'assign' and seq in
  (select max(seq) from step where run_id = $1 and outcome = 'assign' group by id) order by seq`
const LAST_SEQ = `select max(seq) as seq from step where run_id = $1`
const ROUNDS = `select * from step where run_id = $1 and path >= $2 and path < $3 and kind = 'round'`
const LATEST = `select * from step where run_id = $1 and path >= $2 and path < $3 and seq in (select max(seq) from step
  where run_id = $1 and path >= $2 and path < $3 and kind <> 'round' and outcome is not null group by id) order by seq`
const UNDER = `select * from step where run_id = $1 and path >= $2 and path < $3 order by seq`
const BEFORE = `select * from step where run_id = $1 and seq < $2 order by seq`
const PATHS_FROM = `select path from step where run_id = $1 and seq >= $2`
const ANY_RUN = `select * from run where id = $1`
const STEP = `select * from step where run_id = $1 and path = $2 and outcome is not null and attempt = $3`

const STANDING = `select id, epoch from run where id = any($1::text[]) and finished_at is null`

const ANY_ROOM: Room = { bytes: Number.MAX_SAFE_INTEGER, oneAtLeast: true }
const MOST_AT_ONCE = 100
const LANES = 2
/** How long a claim counts as standing after it was last confirmed; a signal tells of a cancellation meanwhile. */
const SEEN_LATELY_MS = 50

interface DispatchedRun extends RunTable {
  bytes: number
  reply_to: string | null
  placed: number | null
  changes: number
}

interface Write {
  claim: PostgresClaim
  progress: RunProgress
}

export interface PostgresRunJournal extends RunJournal {
  runs: Pick<RunStore, 'accept' | 'operate' | 'original'>
  /** Claims up to `limit` runs that no process holds and that are due. */
  claimReady(worker: string, limit: number, now: number, room?: Room): Promise<TakenRun[]>
}

export function createPostgresRunJournal(
  hot: HotPool,
  protect: Protect,
  here: RunsHere & { now(): number },
  onCommit: (seconds: number, writes: number) => void = () => {},
): PostgresRunJournal {
  const accept = createAccept(hot, protect, here, onCommit)
  const select = async (name: string, text: string, values: unknown[]): Promise<JournalEntry[]> =>
    (await hot.query<StepTable>({ name, text, values })).map((row) => revealedStep(row, protect))

  const claimed = async (row: DispatchedRun, seenAt: number, now: number): Promise<ClaimedRun> => {
    const { id } = row
    const claim: PostgresClaim = { runId: id, epoch: row.epoch, flowId: row.flow_id, seenAt }
    const webhook = revealedRequest(row, protect, runBinding(id))
    const vars: Record<string, unknown> = Object.create(null)
    const isNew = row.epoch === 1 && row.replay_of === null
    const more = { replyTo: row.reply_to, placed: row.placed === 1 }
    if (isNew) return { ...toClaimedRun(row, webhook, claim, now, { journal: [], vars, lastSeq: 0 }), ...more }
    const [journal, assigned, [last]] = await Promise.all([
      select('steps', STEPS, [id]),
      select('assigned', ASSIGNED, [id]),
      hot.query<{ seq: number | null }>({ name: 'last-seq', text: LAST_SEQ, values: [id] }),
    ])
    for (const entry of assigned) Object.assign(vars, entry.output)
    return { ...toClaimedRun(row, webhook, claim, now, { journal, vars, lastSeq: last?.seq ?? 0 }), ...more }
  }

  /** Writes that may have succeeded although their reply was lost. */
  const unsure = new WeakSet<RunProgress>()
  const progressRow = ({ claim, progress }: Write, ended: ReadonlySet<string>) => ({
    id: claim.runId,
    epoch: claim.epoch,
    status: progress.status,
    started_at: progress.startedAt,
    finished_at: progress.finishedAt,
    resume_at: progress.resumeAt,
    error: shownJson(toJson(progress.error), protect.of(claim.flowId)),
    // The database adds this to its own clock, which decides when a run is due.
    wait_ms: progress.resumeAt === null ? null : Math.max(0, progress.resumeAt - here.now()),
    again: unsure.has(progress) ? 1 : 0,
    counts: ended.has(claim.runId) ? 0 : 1,
    ...countColumns(claim.flowId, progress),
  })
  const record = async (query: HotPool['query'], writes: Write[]): Promise<boolean[]> => {
    const steps = writes.flatMap(({ claim, progress }) =>
      latestOfEachPath(progress.entries).map((entry) => stepRow(claim.runId, entry, protect.of(claim.flowId))),
    )
    const doubtful = writes.filter(({ progress }) => unsure.has(progress)).map(({ claim }) => claim.runId)
    const ended = doubtful.length ? await endedRuns(query, doubtful) : NONE
    const rows = writes.map((write) => progressRow(write, ended))
    const values = [...arrays(PROGRESS, rows), ...arrays(STEP_COLUMNS, steps)]
    const asked = performance.now()
    const fenced = await query<{ id: string }>({ name: 'record', text: RECORD, values })
    const recorded = new Set(fenced.map((row) => row.id))
    return writes.map(({ claim }) => {
      if (!recorded.has(claim.runId)) return false
      claim.seenAt = asked
      return true
    })
  }
  /** Writes that may repeat an earlier one read how the run stands first, in one transaction. */
  const recordOnce = (writes: Write[]): Promise<boolean[]> =>
    writes.some(({ progress }) => unsure.has(progress))
      ? hot.transaction((query) => record(query, writes))
      : record(hot.query, writes)
  const recordAll = async (writes: Write[]): Promise<boolean[]> => {
    // All statements use one order, so that no two wait for each other; and a statement changes a row once.
    const sorted = writes.toSorted((a, b) => (a.claim.runId < b.claim.runId ? -1 : 1))
    const isRepeated = (write: Write, i: number) => write.claim.runId === sorted[i - 1]?.claim.runId
    const first = sorted.filter((write, i) => !isRepeated(write, i))
    const results = new Map<Write, boolean>()
    for (const [i, recorded] of (await recordOnce(first)).entries()) results.set(first[i]!, recorded)
    for (const write of sorted.filter(isRepeated)) results.set(write, (await recordOnce([write]))[0]!)
    return writes.map((write) => results.get(write)!)
  }
  const notingDoubt = async <T>(writes: Write[], write: () => Promise<T>): Promise<T> => {
    try {
      return await write()
    } catch (error) {
      if (error instanceof StorageUnavailable && error.unsure) for (const { progress } of writes) unsure.add(progress)
      throw error
    }
  }
  const batches = new Batches<Write, boolean>({
    lanes: LANES,
    most: MOST_AT_ONCE,
    send: (writes) => notingDoubt(writes, () => recordAll(writes)),
    onSent: onCommit,
  })

  /** Journals entries with operations on durable keys: both are one transaction, so that each operation happens once. */
  const recordWithOperations = (writes: Write[]): Promise<boolean[]> =>
    notingDoubt(writes, () =>
      hot.transaction(async (query) => {
        const sorted = writes.toSorted((a, b) => (a.claim.runId < b.claim.runId ? -1 : 1))
        const fenced = await query<{ id: string }>({
          name: 'fence',
          text: FENCE,
          values: [sorted.map(({ claim }) => claim.runId), sorted.map(({ claim }) => claim.epoch)],
        })
        const held = new Set(fenced.map(({ id }) => id))
        const standing = sorted.filter(({ claim }) => held.has(claim.runId))
        const open: (FlowOperation & { entry: JournalEntry })[] = []
        for (const { claim, progress } of standing)
          for (const entry of progress.entries) {
            if (!entry.operation) continue
            const before = unsure.has(progress) ? await operatedBefore(query, claim.runId, entry) : null
            if (before) Object.assign(entry, before)
            else open.push({ entry, flowId: claim.flowId, operation: entry.operation, now: entry.finishedAt! })
          }
        for (const [i, result] of (await operateKeys(query, open, protect)).entries())
          settleOperation(open[i]!.entry, result)
        const recorded = new Set<Write>()
        for (const [i, done] of (await record(query, standing)).entries()) if (done) recorded.add(standing[i]!)
        return writes.map((write) => recorded.has(write))
      }),
    )
  const operating = new Batches<Write, boolean>({
    lanes: LANES,
    most: MOST_AT_ONCE,
    send: recordWithOperations,
    onSent: onCommit,
  })
  const operatedBefore = async (query: HotPool['query'], runId: string, { path, attempt }: JournalEntry) => {
    const [row] = await query<StepTable>({ name: 'step', text: STEP, values: [runId, path, attempt] })
    if (!row) return null
    const { output, error, outcome, status } = revealedStep(row, protect)
    return { output, error, outcome, status }
  }

  const standing = new Batches<PostgresClaim, boolean>({
    lanes: LANES,
    most: MOST_AT_ONCE,
    async send(claims) {
      const at = performance.now()
      const values = [claims.map(({ runId }) => runId)]
      const rows = await hot.query<{ id: string; epoch: number }>({ name: 'standing', text: STANDING, values })
      const epochs = new Map(rows.map(({ id, epoch }) => [id, epoch]))
      for (const claim of claims) claim.seenAt = at
      return claims.map(({ runId, epoch }) => epochs.get(runId) === epoch)
    },
    onSent: () => {},
  })

  return {
    runs: {
      async accept(run, dedupe = null, journal = null, terms) {
        if (!journal) return accept(run, dedupe, terms)
        const { concurrency = null } = terms ?? {}
        const given = givenRun(run, dedupe, { concurrency, awaited: false, route: null }, here, null, protect)
        const paths = await hot.query<{ path: string }>({
          name: 'paths-from',
          text: PATHS_FROM,
          values: [journal.runId, journal.before],
        })
        const around = new Set(paths.flatMap(({ path }) => pathsAround(path)))
        const entries = (await select('before', BEFORE, [journal.runId, journal.before])).flatMap(
          (entry) => replayed(entry, around) ?? [],
        )
        const steps = entries.map((entry) => stepRow(run.id, entry, protect.of(run.flowId)))
        await hot.transaction(async (query) => {
          await insertRun(query, given)
          await query({ name: 'put-steps', text: PUT_STEPS, values: arrays(STEP_COLUMNS, steps) })
        })
        return { duplicateOf: null }
      },

      async original(id): Promise<NewRun | null> {
        const [row] = await hot.query<RunTable>({ name: 'any-run', text: ANY_RUN, values: [id] })
        if (!row) return null
        const webhook = revealedRequest(row, protect, runBinding(id))
        const claim = { runId: id, epoch: 0 }
        return toClaimedRun(row, webhook, claim, 0, { journal: [], vars: {}, lastSeq: 0 })
      },

      operate: (flowId, operation, now) =>
        hot.transaction(async (query) => (await operateKeys(query, [{ flowId, operation, now }], protect))[0]!),
    },

    async claim(runId, now) {
      const worker = here.worker()
      // A claim without a worker belongs to no process: no process would ever run it.
      if (worker === null) throw new StorageUnavailable('This process may hold no runs at the moment.')
      const values = [runId, worker]
      const asked = performance.now()
      const [row] = await hot.query<DispatchedRun>({ name: 'claim', text: CLAIM, values })
      return row ? claimed(row, asked, now) : null
    },

    async claimReady(worker, limit, now, room = ANY_ROOM) {
      const values = [worker, limit, room.bytes, room.oneAtLeast]
      const asked = performance.now()
      const rows = await hot.query<DispatchedRun>({ name: 'claim-ready', text: CLAIM_READY, values })
      if (rows[0]) await here.catchUp(rows[0].changes)
      rows.sort((a, b) => (a.id < b.id ? -1 : 1))
      return Promise.all(rows.map(async (row) => ({ ...(await claimed(row, asked, now)), bytes: row.bytes })))
    },

    async rounds(runId, base) {
      const entries = await select('rounds', ROUNDS, [runId, ...roundsUnder(base)])
      return entries.flatMap(({ path, output, error }) => {
        const index = roundIndex(path, base)
        return index === null ? [] : { index, output, error }
      })
    },

    async latestOfRounds(runId, base) {
      const entries = await select('latest', LATEST, [runId, ...roundsUnder(base)])
      return entries.filter(({ path }) => isOfOwnRound(path, base))
    },

    entriesUnder: (runId, prefix) => select('under', UNDER, [runId, ...entriesUnder(prefix)]),

    holds(claim) {
      const held = claim as PostgresClaim
      if (!here.isCertain()) return here.renewed().then(() => standing.add(held))
      return performance.now() - held.seenAt < SEEN_LATELY_MS ? true : standing.add(held)
    },

    isCertain: here.isCertain,

    record(claim, progress) {
      const held = claim as PostgresClaim
      return progress.entries.some((entry) => entry.operation)
        ? operating.add({ claim: held, progress })
        : batches.add({ claim: held, progress })
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Returns which of these runs have ended. They stay as they are until the transaction ends. */
async function endedRuns(query: HotPool['query'], ids: string[]): Promise<Set<string>> {
  const rows = await query<{ id: string; finished_at: number | null }>({ name: 'ends', text: ENDS, values: [ids] })
  return new Set(rows.filter((row) => row.finished_at !== null).map((row) => row.id))
}

function countColumns(flowId: string, { status, startedAt, finishedAt, error }: RunProgress) {
  if (finishedAt === null) return { bucket: null, error_code: null }
  const { bucket, code } = countedEnd(flowId, { status, startedAt, finishedAt, code: error?.code ?? null })
  return { bucket, error_code: code }
}
