// Stores runs that have begun already: one that reaches nothing outside is stored with its end, in one statement. The database has
// the last word on whether it has begun: if not, what it did is dropped, and nobody has seen it.
import type { NewRun, RunProgress } from '../../engine/ports/run-journal.ts'
import { type Accepted, NotBegun, type RunStore, type RunTerms } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { countedEnd, NO_BUCKET } from '../rows/flow-counts.ts'
import { latestOfEachPath } from '../rows/journal-rows.ts'
import { wakenBy } from '../rows/run-rows.ts'
import { givenRun, type InsertedRow, insertSurely, type RunsHere } from './accept.ts'
import { BEGUN, type BegunRun, INSERT_BEGUN } from './accept-statements.ts'
import { arrays } from './arrays.ts'
import { Batches } from './batches.ts'
import type { HotPool } from './database.ts'
import { HELD } from './held.ts'
import type { PostgresClaim, RunBegun } from './run-claim.ts'
import { STEP_COLUMNS, stepRow } from './steps.ts'

interface Begun {
  run: NewRun
  terms: RunTerms
  worker: string
  /** How many changes this process knew when the run began. */
  known: number
  start: RunBegun
}

/** A stored run: its epoch says whether it has begun here. After a lost reply somebody may have claimed it since, so its times do. */
interface StoredRow extends InsertedRow {
  epoch?: number
  started_at?: number | null
  finished_at?: number | null
}

const hasBegun = ({ epoch, started_at, finished_at }: StoredRow, { progress }: RunBegun): boolean =>
  epoch === undefined
    ? finished_at !== null && started_at === progress?.startedAt && finished_at === progress?.finishedAt
    : epoch > 0

const MOST_AT_ONCE = 200
/** One batch at a time: two would be half as large each, and a run costs a tenth more. */
const LANES = 1

/** Returns whether the progress is stored with the start of its run: that of a run that concerns no other, and has not failed. */
export const joinsStart = (
  { status, entries, erase, alerting, handler }: RunProgress,
  { wakes }: PostgresClaim,
): boolean =>
  (status === 'running' || (status === 'succeeded' && wakes === null)) &&
  !(erase || alerting || handler) &&
  entries.every(({ operation, child }) => !operation && !child)

export function createBegin(
  hot: HotPool,
  protect: Protect,
  here: RunsHere,
  onCommit: (seconds: number, writes: number) => void,
): NonNullable<RunStore['begin']> {
  const rowOf = ({ run, terms, worker, known, start: { progress } }: Begun): BegunRun => ({
    ...givenRun(run, null, terms, here, worker, protect),
    known,
    status: progress?.status ?? 'queued',
    started_at: progress?.startedAt ?? null,
    finished_at: progress?.finishedAt ?? null,
    bucket: progress ? bucketOf(run, progress) : NO_BUCKET,
  })
  const stepsOf = ({ run, start: { progress } }: Begun) =>
    latestOfEachPath(progress?.entries ?? []).map((entry) =>
      stepRow(run.id, entry, protect.of(run.flowId), progress?.texts),
    )

  /** Lets the next runs begin, whoever takes those that have not. If it fails, they have not begun either, and it is tried again. */
  const catchUp = async (changes: number) => {
    try {
      await here.catchUp(changes)
    } catch {}
  }

  const store = async (begun: Begun[]): Promise<(Accepted | 'begun')[]> => {
    for (const { start } of begun) start.isSent = true
    const rows = begun.map(rowOf)
    const values = [...arrays(BEGUN, rows), ...arrays(STEP_COLUMNS, begun.flatMap(stepsOf))]
    const insert = () => hot.query<StoredRow>({ name: 'begin', text: INSERT_BEGUN, values })
    const inserted = await insertSurely(hot, rows, insert)
    if (inserted[0]) void catchUp(inserted[0].changes!)
    const stored = new Map(inserted.map((row) => [row.id, row]))
    return begun.map(({ run, start }) => {
      const row = stored.get(run.id)
      if (!row) return { duplicateOf: null, stale: true }
      return hasBegun(row, start) ? 'begun' : { duplicateOf: null, held: row.placed === HELD }
    })
  }
  const batches = new Batches<Begun, Accepted | 'begun'>({
    lanes: LANES,
    most: MOST_AT_ONCE,
    send: store,
    onSent: onCommit,
  })

  return (run, terms) => {
    if (terms.concurrency !== null || terms.route?.paused || run.edited) return null
    const known = here.known()
    const worker = here.reserve()
    if (worker === null) return null
    const start: Omit<RunBegun, 'stored'> & { stored?: Promise<boolean> } = { isSent: false, progress: null }
    const accepted = batches.add({ run, terms, worker, known, start: start as RunBegun })
    const claim: PostgresClaim = {
      runId: run.id,
      epoch: 1,
      flowId: run.flowId,
      wakes: wakenBy(run),
      seenAt: performance.now(),
      start: start as RunBegun,
    }
    const stored = accepted.then((result) => {
      // Otherwise nothing more is ever written by this claim: the next one on the run may have the same epoch.
      if (result !== 'begun') throw new NotBegun(result)
      claim.start = null
    })
    start.stored = stored.then(
      () => true,
      () => false,
    )
    return Object.assign(claim, { stored })
  }
}

function bucketOf({ flowId }: NewRun, { status, startedAt, finishedAt }: RunProgress): number {
  return finishedAt === null ? NO_BUCKET : countedEnd(flowId, { status, startedAt, finishedAt, code: null }).bucket
}
