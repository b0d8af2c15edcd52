// Stores a run durably and puts it in line.
import type { Claim, NewRun } from '../../engine/ports/run-journal.ts'
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
    putInLine(services, run, concurrency, accepted.claim, journal === null)
  return accepted
}

/** Puts a stored run in line. `mayStay`: a small one need not be read back, because it has no journal yet. */
export function putInLine(
  { queue, events }: LineServices,
  run: NewRun,
  concurrency: number | null,
  claim?: Claim | null,
  mayStay = true,
): void {
  const stays = claim || (mayStay && queue.size < FRESH_RUNS && bodyChars(run) <= FRESH_BODY_CHARS)
  const { id, flowId, createdAt: since } = run
  queue.add({ id, flowId, concurrency, fresh: stays ? run : null, since, claim })
  events.tell(flowId, 'run', id, () =>
    runEvent(run, { status: 'queued', startedAt: null, finishedAt: null, error: null }),
  )
}

const bodyChars = ({ webhook, given }: NewRun): number =>
  webhook ? webhook.rawBody.length : JSON.stringify(given).length
