// Stores a run durably and puts it in line.
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { weigh } from '../../flow/json/weigh.ts'
import { runEvent } from '../events/events.ts'
import type { RecordEntry } from '../ports/audit.ts'
import type { RouteRecord } from '../ports/flows.ts'
import type { QueuedRun } from '../ports/queue.ts'
import { type Accepted, type Dedupe, NotBegun, type ReplayedJournal } from '../ports/runs.ts'
import type { RunServices } from './services.ts'

/** Runs of up to so many characters stay in memory as they came while the line is shorter than this; others are read again. */
const STAYING = [
  { line: 64, chars: 65_536 },
  { line: 1_500, chars: 16_384 },
]
/** Their parsed data may take so many times as many bytes: it usually takes twice as many, and fifty times where it is all braces. */
const PARSED = 4
/** Runs with fewer characters are small whatever they hold. */
const FEW_CHARS = 1_024

export interface RunStart {
  run: NewRun
  /** The most runs of its flow at the same time. */
  concurrency: number | null
  dedupe?: Dedupe | null
  /** What a replay copies from another run. */
  journal?: ReplayedJournal | null
  /** The route that must still be current when the run starts. */
  route?: RouteRecord | null
  /** Records who started the run, in the transaction that stores it. */
  entry?: RecordEntry | null
  /** The memory that its values take, if they have been weighed. */
  values?: number | undefined
}

export type LineServices = Pick<RunServices, 'events' | 'queue'>

export async function startRun(
  services: LineServices & Pick<RunServices, 'intake' | 'replies' | 'runs'>,
  { run, concurrency, dedupe = null, journal = null, route = null, entry = null, values }: RunStart,
): Promise<Accepted> {
  const small = isSmall(services, run, values)
  const terms = { concurrency, awaited: services.replies.waits(run.id), small, route, entry }
  services.intake.storing()
  try {
    const mayBegin = !dedupe && !journal && !entry && !run.files?.length && small
    const claim = mayBegin ? services.runs.begin?.(run, terms) : null
    let accepted: Accepted
    if (claim) {
      // Before the run begins: its end may be stored at the same time, and is told of after this.
      const told = claim.stored.then(() => tellQueued(services, run))
      const held = putInLine(services, run, { concurrency, claim, fresh: run, awaited: terms.awaited })
      try {
        await told
        return { duplicateOf: null, held }
      } catch (error) {
        if (!(error instanceof NotBegun)) throw error
        accepted = error.accepted
      }
    } else accepted = await services.intake.join(services.runs.accept(run, dedupe, journal, terms))
    if (accepted.duplicateOf === null && !accepted.stale)
      accepted.held = runStarted(services, run, { ...accepted, concurrency, isReplay: journal !== null })
    return accepted
  } finally {
    services.intake.stored()
  }
}

/** Puts a run that is stored in line, and tells of it. Returns whether the run is held, because its flow is paused. */
export function runStarted(
  services: LineServices,
  run: NewRun,
  {
    concurrency,
    claim,
    held,
    isReplay = false,
  }: Pick<Accepted, 'claim' | 'held'> & {
    concurrency: number | null
    isReplay?: boolean
  },
): boolean {
  const fresh = claim || (!isReplay && isSmall(services, run)) ? run : null
  const isHeld = putInLine(services, run, { concurrency, claim, held, fresh })
  tellQueued(services, run)
  return isHeld
}

function isSmall({ queue }: LineServices, run: NewRun, values?: number): boolean {
  const limit = STAYING.find(({ line }) => queue.size < line)
  const chars = startChars(run)
  if (limit === undefined || chars > limit.chars) return false
  const most = limit.chars * PARSED
  return chars <= FEW_CHARS || (values ?? weigh(run.webhook ? run.webhook.body : run.given, most)) <= most
}

const putInLine = (
  { queue }: LineServices,
  { id, flowId, createdAt, version }: NewRun,
  queued: Pick<QueuedRun, 'concurrency' | 'claim' | 'held' | 'fresh' | 'awaited'>,
): boolean => queue.add({ ...queued, id, flowId, since: createdAt, exempt: version === null })

const tellQueued = ({ events }: LineServices, run: NewRun): void =>
  events.tell(run.flowId, 'run', run.id, () =>
    runEvent(run, { status: 'queued', startedAt: null, finishedAt: null, error: null }),
  )

const startChars = ({ webhook, given }: NewRun): number =>
  webhook ? webhook.rawBody.length : JSON.stringify(given).length
