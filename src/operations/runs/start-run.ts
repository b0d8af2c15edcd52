// Stores a run durably and puts it in line.
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { runEvent } from '../events/events.ts'
import type { RouteRecord } from '../ports/flows.ts'
import type { Accepted, Dedupe, ReplayedJournal } from '../ports/runs.ts'
import type { RunServices } from './services.ts'

/** The most runs in line that stay in memory as accepted, and the largest body of such a run. */
const FRESH_RUNS = 2_000
const FRESH_BODY_CHARS = 16_384

export interface RunStart {
  run: NewRun
  /** The most runs of its flow at the same time. */
  concurrency: number | null
  dedupe?: Dedupe | null
  /** What a replay copies from another run. */
  journal?: ReplayedJournal | null
  /** The route that must still be current when the run starts. */
  route?: RouteRecord | null
}

export type LineServices = Pick<RunServices, 'events' | 'queue'>

export async function startRun(
  services: LineServices & Pick<RunServices, 'intake' | 'replies' | 'runs'>,
  { run, concurrency, dedupe = null, journal = null, route = null }: RunStart,
): Promise<Accepted> {
  const terms = { concurrency, awaited: services.replies.waits(run.id), route }
  let accepted: Accepted
  services.intake.storing()
  try {
    accepted = await services.runs.accept(run, dedupe, journal, terms)
  } finally {
    services.intake.stored()
  }
  if (accepted.duplicateOf === null && !accepted.stale)
    accepted.held = runStarted(services, run, { ...accepted, concurrency, isReplay: journal !== null })
  return accepted
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
  const small = !isReplay && services.queue.size < FRESH_RUNS && startChars(run) <= FRESH_BODY_CHARS
  const fresh = claim || small ? run : null
  const queued = { id: run.id, flowId: run.flowId, concurrency, fresh, since: run.createdAt, claim, held }
  const isHeld = services.queue.add({ ...queued, exempt: run.version === null })
  services.events.tell(run.flowId, 'run', run.id, () =>
    runEvent(run, { status: 'queued', startedAt: null, finishedAt: null, error: null }),
  )
  return isHeld
}

const startChars = ({ webhook, given }: NewRun): number =>
  webhook ? webhook.rawBody.length : JSON.stringify(given).length
