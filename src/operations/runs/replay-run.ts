// Repeats a run, whole or from a step, on its own version, the published one or the draft.

import { CODE } from '../../base/error-catalogue.ts'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { findFlow, publishable } from '../flows/draft.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { ReplayedJournal } from '../ports/runs.ts'
import { type RunView, readRun } from './read-runs.ts'
import type { RunServices } from './services.ts'
import { startRun } from './start-run.ts'

export interface Replay {
  /** The step to begin with. Everything before it is taken from the journal. */
  from?: string
  version?: 'same' | 'published' | 'draft'
}

export async function replayRun(
  services: RunServices,
  actor: Actor,
  id: string,
  { from, version = 'same' }: Replay,
): Promise<RunView> {
  const original = await services.runs.original(id)
  if (!original) throw notFound('run', id)
  const runs = await versionFor(services, original, version)
  const { trigger } = await services.published.forRun({ flowId: original.flowId, ...runs })
  const run: NewRun = {
    ...original,
    ...runs,
    id: services.ids.next('run'),
    hops: 0,
    replyStatus: null,
    createdAt: services.now(),
    replayOf: id,
    // Nobody waits for the result of a replay.
    parent: null,
  }
  const journal = from === undefined ? null : await journalBefore(services, id, from)
  await services.audit.record(
    actor,
    'run.replay',
    { kind: 'run', id, name: null },
    { flow: original.flowId, run: run.id, version, ...(from !== undefined && { from }) },
  )
  await startRun(services, { run, concurrency: trigger.concurrency, journal })
  return readRun(services, run.id)
}

async function versionFor(
  services: RunServices,
  original: NewRun,
  version: NonNullable<Replay['version']>,
): Promise<Pick<NewRun, 'version' | 'document'>> {
  const flow = await findFlow(services, original.flowId)
  if (version === 'same') return { version: original.version, document: original.document }
  if (version === 'draft') {
    return { version: null, document: (await publishable(services, flow)).text }
  }
  if (flow.version === null)
    throw new OperationError(
      CODE.conflict,
      'The flow is not published; publish it, or replay on the same version or the draft.',
    )
  return { version: flow.version, document: null }
}

async function journalBefore(services: RunServices, runId: string, from: string): Promise<ReplayedJournal> {
  const first = await services.runs.seqOf(runId, from)
  if (first === null)
    throw new OperationError(
      CODE.invalid_request,
      `The run has no step at "${from}"; give the path of one of its steps.`,
    )
  return { runId, before: first }
}
