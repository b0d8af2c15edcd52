// Describes the writes of the hot path on SQLite.
import type { SQLInputValue } from 'node:sqlite'
import { isHandler, type JournalEntry, type NewRun, type RunProgress } from '../../../engine/ports/run-journal.ts'
import type { FailedRun } from '../../rows/failures/causes.ts'
import { countedEnd, NO_BUCKET, NO_CODE } from '../../rows/flow-counts.ts'
import type { sealedStartTexts } from '../../rows/request-columns.ts'
import { labelsColumn, testColumn, triggerColumn } from '../../rows/run-rows.ts'
import type { stepColumns } from '../../rows/step-columns.ts'
import type { OpenWrite } from './hot-writer.ts'
import type { HotStatement } from './hot-writes.ts'

/** How far a run is that has not begun: its epoch, status, times and error. */
const QUEUED: readonly SQLInputValue[] = [0, 'queued', null, null, null, null]

/** Stores a run as far as it has come, in place of one that has not begun. */
export function insertAs(
  { statements: [start] }: Pick<OpenWrite, 'statements'>,
  progress: readonly SQLInputValue[],
): void {
  ;(start![1] as SQLInputValue[]).splice(1, QUEUED.length, ...progress)
}

export const insertRun = (
  run: NewRun,
  { request, rawBody, sealed }: ReturnType<typeof sealedStartTexts>,
): HotStatement => [
  'insertRun',
  [
    run.id,
    ...QUEUED,
    run.flowId,
    run.version,
    run.document,
    testColumn(run),
    run.hops,
    run.replyStatus,
    request,
    rawBody,
    run.createdAt,
    run.replayOf,
    sealed,
    triggerColumn(run.trigger),
    run.parent?.run ?? null,
    run.parent?.step ?? null,
    run.parent ? Number(run.parent.waits) : null,
    // With the id and the body at these places: whoever writes the row puts labels into their index.
    labelsColumn(run),
  ],
]

export const putStep = (runId: string, e: JournalEntry, data: ReturnType<typeof stepColumns>): HotStatement => [
  'putStep',
  [
    runId,
    e.path,
    e.id,
    e.kind,
    e.seq,
    e.status,
    e.attempt,
    e.startedAt,
    e.finishedAt,
    e.outcome,
    data.decision,
    e.resumeAt,
    data.input,
    data.output,
    data.error,
    data.logs,
    data.sealed,
    data.attempts,
  ],
]

/** Counts a run that starts, as an accepted delivery if one started it; a test run or a handler does not count. */
export function countStart({ flowId, test, createdAt, replayOf, trigger }: NewRun): HotStatement[] {
  if (test || isHandler({ trigger })) return []
  const counter = replayOf === null && triggerColumn(trigger) === null ? 'accepted' : 'started'
  return [['count', { flowId, at: createdAt, counter, bucket: NO_BUCKET, code: NO_CODE }]]
}

/** Counts a run that ends. */
export function countEnd(run: { flowId: string; test: boolean }, progress: RunProgress): HotStatement[] {
  const { status, startedAt, finishedAt, error } = progress
  if (finishedAt === null || run.test) return []
  return [['count', countedEnd(run.flowId, { status, startedAt, finishedAt, code: error?.code ?? null })]]
}

/** Counts a failed run in its group. */
export const countFailure = (failed: FailedRun): HotStatement[] => [
  ['setFailure', [failed.failure, failed.runId]],
  ['fail', failed],
]

/** Returns the writes by which the end of a run makes the run due that waits for it; the last ones, as they may change nothing. */
export function wakeUps(
  { runId, wakes }: { runId: string; wakes: string | null },
  { finishedAt, awaits }: RunProgress,
): HotStatement[] {
  if (finishedAt !== null) return wakes === null ? [] : [['wakeParent', [finishedAt, wakes]]]
  if (!awaits) return []
  const { now, runs, callbacks } = awaits
  return callbacks.length
    ? [['wakeIfAnswered', [now, runId, JSON.stringify(runs), JSON.stringify(callbacks)]]]
    : [['wakeIfEnded', [now, runId, JSON.stringify(runs)]]]
}
