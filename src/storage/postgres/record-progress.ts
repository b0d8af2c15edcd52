// Journals the progress of runs on PostgreSQL: writes that are ready together share one statement.
import type { ChildRun, JournalEntry, RunProgress } from '../../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import type { CauseOf } from '../rows/failures/causes.ts'
import { countedEnd, NO_BUCKET, NO_CODE } from '../rows/flow-counts.ts'
import { latestOfEachPath, settleOperation } from '../rows/journal-rows.ts'
import { revealedStep, shownJson, toJson } from '../rows/step-columns.ts'
import type { StepTable } from '../rows/tables.ts'
import { givenRun, insertRuns, present, type RunsHere } from './accept.ts'
import { arrays } from './arrays.ts'
import { Batches } from './batches.ts'
import type { HotPool } from './database.ts'
import { useFiles } from './files/run-files.ts'
import { type FlowOperation, operateKeys } from './key-values.ts'
import type { PostgresClaim } from './run-claim.ts'
import {
  ALERT,
  ALERT_EVENT,
  ENDS,
  FAILED,
  FENCE,
  GIVE_PLACE,
  LOCK,
  MARK_TO_ERASE,
  PROGRESS,
  RECORD,
  RECORD_FAILED,
  STEP,
  WAKE,
  WAKE_ANSWERED,
} from './run-statements.ts'
import { STEP_COLUMNS, stepRow } from './steps.ts'

const MOST_AT_ONCE = 100
const LANES = 2

interface Write {
  claim: PostgresClaim
  progress: RunProgress
}

/** Returns the function that records a run's progress; it resolves to false if the claim was lost. */
export function createRecord(
  hot: HotPool,
  protect: Protect,
  here: Pick<RunsHere, 'node'> & { now(): number },
  onCommit: (seconds: number, writes: number) => void,
  causeOf: CauseOf,
): (write: Write) => Promise<boolean> {
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
  const failedColumns = ({ claim: { flowId }, progress: { status, error, forFailure } }: Write) => {
    if (status !== 'failed' || !error || forFailure) return NOT_FAILED
    const { failure, step, status: replied, message } = causeOf(flowId, error, protect.of(flowId))
    return { failure, failed_step: step, failed_status: replied, failed_message: message }
  }
  const record = async (query: HotPool['query'], writes: Write[]): Promise<boolean[]> => {
    const steps = writes.flatMap(({ claim, progress }) =>
      latestOfEachPath(progress.entries).map((entry) =>
        stepRow(claim.runId, entry, protect.of(claim.flowId), progress.texts),
      ),
    )
    const doubtful = writes.filter(({ progress }) => unsure.has(progress)).map(({ claim }) => claim.runId)
    const ended = doubtful.length ? await endedRuns(query, doubtful) : NONE
    const rows = writes.map((write) => progressRow(write, ended))
    // Runs that fail are few as a rule: the others are written without a word of groups.
    const failing = writes.some(({ progress }) => progress.status === 'failed')
    const failed = failing ? arrays(FAILED, writes.map(failedColumns)) : []
    const values = [...arrays(PROGRESS, rows), ...failed, ...arrays(STEP_COLUMNS, steps)]
    const statement = failing ? { name: 'record-failed', text: RECORD_FAILED } : { name: 'record', text: RECORD }
    const asked = performance.now()
    const fenced = await query<{ id: string }>({ ...statement, values })
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

  /**
   * Journals progress that concerns more than its run: operations on durable keys, runs that a step calls, and runs that wait
   * for one another. All is one transaction, so that each operation happens and each call starts a run exactly once.
   */
  const recordWithOthers = (writes: Write[]): Promise<boolean[]> =>
    notingDoubt(writes, () =>
      hot.transaction(async (query) => {
        const sorted = writes.toSorted((a, b) => (a.claim.runId < b.claim.runId ? -1 : 1))
        const locks = sorted.flatMap(({ claim, progress }) => [claim.runId, ...relatedTo(claim, progress)])
        if (locks.length > sorted.length) await query({ name: 'lock', text: LOCK, values: [locks] })
        const fenced = await query<{ id: string }>({
          name: 'fence',
          text: FENCE,
          values: [sorted.map(({ claim }) => claim.runId), sorted.map(({ claim }) => claim.epoch)],
        })
        const held = new Set(fenced.map(({ id }) => id))
        // The end of a run whose reply was lost is written again.
        const standing = sorted.filter(({ claim, progress }) => held.has(claim.runId) || mayHaveEnded(progress))
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
        await startAndWake(query, [...recorded])
        return writes.map((write) => recorded.has(write))
      }),
    )
  const mayHaveEnded = (progress: RunProgress): boolean =>
    unsure.has(progress) && progress.finishedAt !== null && !progress.entries.some(({ operation }) => operation)
  const startAndWake = async (query: HotPool['query'], writes: Write[]): Promise<void> => {
    const children = writes.flatMap(({ progress: { entries, handler } }): ChildRun[] => [
      ...entries.flatMap(({ child }) => child ?? []),
      ...(handler ? [{ run: handler, concurrency: null }] : []),
    ])
    const given = children.map(({ run, concurrency }) =>
      givenRun(run, null, { concurrency, awaited: false, route: null }, here, null, protect),
    )
    // A run whose insertion was in doubt may be there.
    const doubtful = given.length > 0 && writes.some(({ progress }) => unsure.has(progress))
    const there = doubtful ? await present(query, given) : new Set<string>()
    const missing = given.filter(({ id }) => !there.has(id))
    if (missing.length) await insertRuns(query, missing)
    await useFiles(
      query,
      children.map(({ run }) => run),
    )
    const alerting = writes.filter(({ progress }) => progress.alerting).map(alertRow)
    if (alerting.length) await query({ name: 'alert', text: ALERT, values: arrays(ALERT_EVENT, alerting) })
    const erased = writes.flatMap(({ claim, progress }) => (progress.erase ? claim.runId : []))
    if (erased.length) await query({ name: 'mark-to-erase', text: MARK_TO_ERASE, values: [erased] })
    const ended = writes.flatMap(({ claim, progress }) => (progress.finishedAt === null ? [] : (claim.wakes ?? [])))
    const awaited = writes.flatMap(({ claim, progress }) =>
      (progress.awaits?.runs ?? []).map((child) => ({ id: claim.runId, child })),
    )
    const values = [ended, awaited.map(({ id }) => id), awaited.map(({ child }) => child)]
    if (ended.length || awaited.length) await query({ name: 'wake', text: WAKE, values })
    await awaitCallbacks(query, writes)
  }
  const awaitCallbacks = async (query: HotPool['query'], writes: Write[]): Promise<void> => {
    const awaited = writes.flatMap(({ claim, progress }) =>
      (progress.awaits?.callbacks ?? []).map((path) => ({ id: claim.runId, path })),
    )
    if (awaited.length === 0) return
    const ids = awaited.map(({ id }) => id)
    await query({ name: 'give-place', text: GIVE_PLACE, values: [ids] })
    // Whoever answers locks the run first: so this sees the answer, or the answer finds that the run waits.
    await query({ name: 'wake-answered', text: WAKE_ANSWERED, values: [ids, awaited.map(({ path }) => path)] })
  }
  const together = new Batches<Write, boolean>({
    lanes: LANES,
    most: MOST_AT_ONCE,
    send: recordWithOthers,
    onSent: onCommit,
  })
  const operatedBefore = async (query: HotPool['query'], runId: string, { path, attempt }: JournalEntry) => {
    const [row] = await query<StepTable>({ name: 'step', text: STEP, values: [runId, path, attempt] })
    if (!row) return null
    const { output, error, outcome, status } = revealedStep(row, protect)
    return { output, error, outcome, status }
  }

  return (write) => (concernsOthers(write) ? together : batches).add(write)
}

/** Returns the runs that must not change while this progress is recorded: the one that it wakes, or those that it waits for. */
const relatedTo = ({ wakes }: PostgresClaim, { finishedAt, awaits }: RunProgress): readonly string[] =>
  finishedAt !== null && wakes !== null ? [wakes] : (awaits?.runs ?? [])

const concernsOthers = ({ claim, progress }: Write): boolean =>
  progress.handler !== undefined ||
  progress.alerting === true ||
  progress.erase === true ||
  progress.entries.some(({ operation, child }) => operation ?? child) ||
  (progress.awaits?.callbacks.length ?? 0) > 0 ||
  relatedTo(claim, progress).length > 0

const alertRow = ({ claim, progress }: Write) => ({
  id: claim.runId,
  kind: progress.status,
  flow_id: claim.flowId,
  at: progress.finishedAt,
  code: progress.error?.code ?? null,
})

const NONE: ReadonlySet<string> = new Set()
const NOT_FAILED = { failure: null, failed_step: null, failed_status: null, failed_message: null }

/** Returns which of these runs have ended. They stay as they are until the transaction ends. */
async function endedRuns(query: HotPool['query'], ids: string[]): Promise<Set<string>> {
  const rows = await query<{ id: string; finished_at: number | null }>({ name: 'ends', text: ENDS, values: [ids] })
  return new Set(rows.filter((row) => row.finished_at !== null).map((row) => row.id))
}

function countColumns(flowId: string, { status, startedAt, finishedAt, error }: RunProgress) {
  if (finishedAt === null) return { bucket: NO_BUCKET, error_code: NO_CODE }
  const { bucket, code } = countedEnd(flowId, { status, startedAt, finishedAt, code: error?.code ?? null })
  return { bucket, error_code: code }
}
