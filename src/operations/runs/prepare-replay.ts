// Builds the run that repeats another: whole or from a step, on its own version, another one or the draft, with changes or not.
import { CODE } from '../../base/error-catalogue.ts'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import type { Limited } from '../access/reach.ts'
import { findFlow, publishable } from '../flows/draft.ts'
import { DataDeleted, notFound, OperationError } from '../operation-error.ts'
import type { ReplayedJournal } from '../ports/runs.ts'
import { editedWebhook, givenEntries, type ReplayChanges } from './replay-changes.ts'
import { labelsOf } from './run-labels.ts'
import type { RunServices } from './services.ts'

export type ReplayVersion = 'same' | 'published' | 'draft' | number

export interface Replay extends ReplayChanges {
  /** The step to begin with. Everything before it is taken from the journal. */
  from?: string
  version?: ReplayVersion
}

export interface PreparedReplay {
  run: NewRun
  journal: ReplayedJournal | null
  /** The most runs of its flow at the same time. */
  concurrency: number | null
}

export async function prepareReplay(
  services: RunServices,
  actor: Limited,
  id: string,
  { from, version = 'same', ...changes }: Replay,
): Promise<PreparedReplay> {
  const found = await services.runs.original(id)
  if (!found) throw notFound('run', id)
  const { dataDeleted, ...original } = found
  if (dataDeleted && (from !== undefined || !isWhole(changes.webhook))) throw new DataDeleted()
  const runs = await versionFor(services, actor, original, version)
  const { trigger } = await services.published.forRun({ flowId: original.flowId, ...runs })
  const isEdited = changes.webhook !== undefined || changes.steps !== undefined
  const run: NewRun = {
    ...original,
    ...runs,
    ...(changes.webhook && { webhook: editedWebhook(original.webhook, changes.webhook) }),
    ...(isEdited && { edited: true as const }),
    id: services.ids.next('run'),
    hops: 0,
    replyStatus: null,
    createdAt: services.now(),
    replayOf: id,
    // Nobody waits for the result of a replay.
    parent: null,
  }
  // What is changed may be what the labels are made of.
  if (changes.webhook) run.labels = labelsOf(services, (await findFlow(services, run.flowId)).name, trigger, run)
  const before = from === undefined ? 0 : await positionOf(services, id, from)
  const given = changes.steps ? await givenEntries(services, run, changes.steps) : []
  const files = await services.files.usedBy(id, null)
  if (files.length) run.files = files
  const journal = from === undefined && given.length === 0 ? null : { runId: id, before, given }
  return { run, journal, concurrency: trigger.concurrency }
}

/** Returns whether nothing of the original delivery is needed. */
const isWhole = (webhook: Replay['webhook']): boolean =>
  webhook?.body !== undefined && webhook.headers !== undefined && webhook.query !== undefined

async function versionFor(
  services: RunServices,
  actor: Limited,
  original: NewRun,
  version: ReplayVersion,
): Promise<Pick<NewRun, 'version' | 'document'>> {
  const flow = await findFlow(services, original.flowId)
  if (version === 'same') return { version: original.version, document: original.document }
  if (version === 'draft') {
    return { version: null, document: (await publishable(services, actor, flow)).text }
  }
  if (typeof version === 'number') {
    if (!(await services.flows.version(flow.id, version))) throw notFound('version', `${version} of flow ${flow.id}`)
    return { version, document: null }
  }
  if (flow.version === null)
    throw new OperationError(
      CODE.conflict,
      'The flow is not published; publish it, or replay on the same version or the draft.',
    )
  return { version: flow.version, document: null }
}

async function positionOf(services: RunServices, runId: string, from: string): Promise<number> {
  const first = await services.runs.seqOf(runId, from)
  if (first === null)
    throw new OperationError(
      CODE.invalid_request,
      `The run has no step at "${from}"; give the path of one of its steps.`,
    )
  return first
}
