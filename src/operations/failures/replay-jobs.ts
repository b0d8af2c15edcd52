// Makes, shows and changes the jobs that replay many runs.
import { CODE } from '../../base/error-catalogue.ts'
import type { RunStatus } from '../../engine/ports/run-journal.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { Page, Paged } from '../ports/page.ts'
import type { ReplayJobRecord, ReplayJobState } from '../ports/replays.ts'
import type { ReplayVersion } from '../runs/prepare-replay.ts'
import { chosenRuns, type RunChoice, selectionOf } from './choose-runs.ts'
import type { FailureServices } from './services.ts'

export type ReplayFrom = 'failed' | 'start' | { step: string }

export interface BulkReplay {
  filter: RunChoice
  from: ReplayFrom
  version: ReplayVersion
  /** Replays per second. */
  pace: number
  /** Whether runs with a replay that succeeded are replayed again. */
  again: boolean
  /** Whether replays themselves are replayed. */
  replays: boolean
}

/** What each item of a job needs, as it is stored with the job. */
export type StoredRequest = Pick<BulkReplay, 'from' | 'version'> & Record<string, unknown>

export interface ReplayPreview {
  /** The runs that are replayed. */
  total: number
  /** The runs with a replay that succeeded; they are left out, except with `again`. */
  alreadyReplayed: number
}

export interface ReplayJobView extends ReplayPreview {
  id: string
  state: ReplayJobState
  started: number
  done: number
  failed: number
  pace: number
  createdAt: string
  createdBy: string
  finishedAt: string | null
  request: unknown
}

const ENDED: readonly RunStatus[] = ['failed']
const SHOWN_PROBLEMS = 10

export async function previewReplays(services: FailureServices, replay: BulkReplay): Promise<ReplayPreview> {
  const preview = { total: 0, alreadyReplayed: 0 }
  for await (const runs of chosenRuns(services, chosenBy(services, replay))) count(preview, runs, replay.again)
  return preview
}

export async function createReplays(
  services: FailureServices,
  actor: Actor,
  replay: BulkReplay,
): Promise<ReplayJobView> {
  const { replays } = services
  const selection = chosenBy(services, replay)
  const { filter, pace, ...how } = replay
  const id = services.ids.next('rpl')
  const request = { ...how, filter: shownChoice(filter) }
  const stored = JSON.stringify(request satisfies StoredRequest)
  await replays.begin({ id, createdAt: services.now(), createdBy: actor.name, request: stored, pace })
  const preview = { total: 0, alreadyReplayed: 0 }
  for await (const runs of chosenRuns(services, selection)) {
    count(preview, runs, replay.again)
    const taken = replay.again ? runs : runs.filter(({ replayed }) => !replayed)
    await replays.addItems(
      id,
      taken.map((run) => run.id),
    )
  }
  await services.audit.together(async () => {
    await replays.release(id, preview.total, preview.alreadyReplayed)
    await services.audit.record(actor, 'replay.create', target(id), { ...request, pace, ...preview })
  })
  services.replaysChanged()
  return readReplays(services, id)
}

export async function readReplays(
  services: FailureServices,
  id: string,
): Promise<ReplayJobView & { problems: object[] }> {
  const job = await services.replays.get(id)
  if (!job) throw notFound('replay', id)
  return { ...jobView(job), problems: await services.replays.problems(id, SHOWN_PROBLEMS) }
}

export async function listReplays(services: FailureServices, page: Page): Promise<Paged<ReplayJobView>> {
  const { items, nextCursor } = await services.replays.list(page)
  return { items: items.map(jobView), nextCursor }
}

const CHANGES = {
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  cancel: { from: ['running', 'paused'], to: 'cancelled' },
} as const satisfies Record<string, { from: readonly ReplayJobState[]; to: ReplayJobState }>

export async function changeReplays(
  services: FailureServices,
  actor: Actor,
  id: string,
  change: keyof typeof CHANGES,
): Promise<ReplayJobView> {
  const { from, to } = CHANGES[change]
  const changed = await services.audit.together(async () => {
    const done = await services.replays.setState(id, from, to)
    if (done) await services.audit.record(actor, `replay.${change}`, target(id))
    return done
  })
  const job = await readReplays(services, id)
  if (!changed && job.state !== to)
    throw new OperationError(CODE.conflict, `The replay cannot be changed so: it is ${job.state}.`)
  services.replaysChanged()
  return job
}

export const jobView = ({
  createdAt,
  finishedAt,
  nextAt: _nextAt,
  request,
  ...job
}: ReplayJobRecord): ReplayJobView => ({
  ...job,
  createdAt: new Date(createdAt).toISOString(),
  finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
  request: JSON.parse(request),
})

const chosenBy = (services: FailureServices, { filter, replays }: BulkReplay) =>
  selectionOf(filter, { statuses: ENDED, replays, now: services.now() })

const shownChoice = ({ since, until, ...choice }: RunChoice) => ({
  ...choice,
  ...(since !== undefined && { since: new Date(since).toISOString() }),
  ...(until !== undefined && { until: new Date(until).toISOString() }),
})

function count(preview: ReplayPreview, runs: readonly { replayed: boolean }[], again: boolean): void {
  const replayed = runs.filter((run) => run.replayed).length
  preview.alreadyReplayed += replayed
  preview.total += again ? runs.length : runs.length - replayed
}

const target = (id: string) => ({ kind: 'replay', id, name: null })
