// Shows runs as the API does.

import { CODE } from '../../base/error-catalogue.ts'
import {
  handlerIdOf,
  type JournalEntry,
  type NewRun,
  ON_FAILURE,
  type RunError,
  type RunParent,
  type RunStatus,
  type RunTrigger,
  type StepAttempt,
  shownPath,
} from '../../engine/ports/run-journal.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { Labels } from '../../flow/triggers/labels.ts'
import { parentView, triggerView } from '../events/events.ts'
import { DataDeleted, notFound, OperationError } from '../operation-error.ts'
import type { ShownWebhook } from '../ports/deliveries.ts'
import type { Page, Paged } from '../ports/page.ts'
import type { ChildView, RunFilter, RunRecord, RunSummaryRecord, ShownEntry, StepPart } from '../ports/runs.ts'
import { isLarge, SHOWN_BYTES } from '../shown-size.ts'
import type { RunServices } from './services.ts'

export interface StepView {
  path: string
  id: string
  kind: string
  status: JournalEntry['status']
  attempt: number
  /** Of a step that was tried again: its first and last attempts. */
  attempts?: AttemptView[]
  startedAt: string
  finishedAt: string | null
  /** The time at which a waiting step continues or is tried again. */
  resumeAt?: string
  input: unknown
  output: unknown
  error: JournalEntry['error']
  logs: readonly string[]
  /** The parts that are too large to be shown. */
  omitted?: StepPart[]
}

export type AttemptView = Omit<StepAttempt, 'startedAt'> & { startedAt: string }

export interface RunSummary {
  id: string
  flowId: string
  /** null if the flow was deleted. */
  flowName: string | null
  version: number | null
  status: RunStatus
  test: boolean
  error: RunError | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  replayOf: string | null
  /** The newest replay of it. */
  replayedAs?: { run: string; status: RunStatus }
  /** Whether its webhook or results of its steps were changed for a replay. */
  edited?: true
  /** Whether what it was given, sent and got was deleted with its end. */
  dataDeleted?: true
  trigger: { kind: string; at?: string; manual?: true; admitted?: RunTrigger['admitted'] }
  parent: Omit<RunParent, 'waits'> | null
  /** null if the run has none. */
  labels: Labels | null
}

export interface RunView extends RunSummary {
  /** The delivery that started the run; null if something else did. */
  webhook: ShownWebhook | null
  /** Set in place of `webhook`: what a schedule or a caller gave the run. */
  schedule?: unknown
  input?: unknown
  /** Whether what the run was given is too large to be shown. */
  givenOmitted?: true
  vars: Record<string, unknown>
  /** The runs that its steps have started. */
  children: ChildView[]
  steps: StepView[]
  /** What is or was done because the run failed; null if there is nothing to do. */
  onFailure: FailureView | null
  /** Whether the caller may not see what it was given, sent and got. */
  dataHidden?: true
}

export interface FailureView {
  status: RunStatus
  steps: StepView[]
  error: RunError | null
}

/** Bounds the children of a run that is shown. */
const MOST_CHILDREN = 1_000

export async function readRun(services: RunServices, id: string): Promise<RunView> {
  const run = await services.runs.get(id, SHOWN_BYTES)
  if (!run) throw notFound('run', id)
  const entries = shownEntries(run, await services.runs.steps(id, SHOWN_BYTES))
  const redact = <T>(value: T): T => services.secrets.redact(value, run.flowId)
  const names = await services.flows.names([run.flowId])
  const replays = await services.runs.replaysOf([id])
  return {
    ...runSummary(services, names, replays)(run),
    ...(run.dataDeleted ? NO_START : redact({ webhook: run.webhook, ...run.given })),
    ...(run.givenOmitted && !run.dataDeleted && { givenOmitted: true }),
    vars: redact(variables(entries)),
    children: await services.runs.children(id, MOST_CHILDREN),
    steps: entries.map((entry) => stepView(entry, redact)),
    onFailure: run.status === 'failed' ? await failureView(services, run, redact) : null,
  }
}

async function failureView(
  services: RunServices,
  failed: RunRecord,
  redact: <T>(value: T) => T,
): Promise<RunView['onFailure']> {
  const handler = await services.runs.handler(failed.id)
  if (!handler) return null
  const entries = shownEntries(failed, await services.runs.steps(handler.id, SHOWN_BYTES))
  const steps = entries.map((entry) => ({ ...stepView(entry, redact), path: `${ON_FAILURE}/${entry.path}` }))
  return { status: handler.status, steps, error: redact(handler.error) }
}

const NO_START = { webhook: null }
const NO_DATA = { input: null, output: null, logs: null }

/** Returns the steps of a run without what nobody may see any more. */
const shownEntries = ({ dataDeleted }: Pick<RunRecord, 'dataDeleted'>, entries: ShownEntry[]): ShownEntry[] =>
  dataDeleted ? entries.map(({ shown: _shown, omitted: _omitted, ...entry }) => ({ ...entry, ...NO_DATA })) : entries

/** Returns the run and the path that a step is stored at: those of a failure handler are shown in the failed run. */
function storedAt(id: string, path: string): [id: string, path: string] {
  const prefix = `${ON_FAILURE}/`
  return path.startsWith(prefix) ? [handlerIdOf(id), path.slice(prefix.length)] : [id, path]
}

/** Returns the complete run. Throws if parts of it are too large. */
export async function readWholeRun(services: RunServices, id: string): Promise<RunView> {
  const run = await readRun(services, id)
  if (run.dataDeleted) throw new DataDeleted()
  if (run.webhook?.bodyOmitted || run.givenOmitted || run.steps.some(({ omitted }) => omitted))
    throw new OperationError(CODE.conflict, `The run holds more than ${SHOWN_BYTES} bytes: too much to be written out.`)
  return run
}

export async function listRuns(services: RunServices, filter: RunFilter, page: Page): Promise<Paged<RunSummary>> {
  const { items, nextCursor } = await services.runs.list(filter, page)
  const names = await services.flows.names(items.map(({ flowId }) => flowId))
  const replays = await services.runs.replaysOf(items.map(({ id }) => id))
  return { items: items.map(runSummary(services, names, replays)), nextCursor }
}

async function requireData(services: RunServices, id: string): Promise<void> {
  if ((await services.runs.get(id, 0))?.dataDeleted) throw new DataDeleted()
}

/** Returns the whole delivered body, as it is stored. */
export async function readRunBody(services: RunServices, id: string): Promise<Uint8Array> {
  await requireData(services, id)
  const body = await services.runs.body(id)
  if (!body) throw notFound('run', id)
  return body
}

/** Returns the whole part of a step as stored JSON text. It is not parsed, so it may have any size. */
export async function readStepPart(services: RunServices, id: string, path: string, part: StepPart): Promise<string> {
  await requireData(services, id)
  const text = await services.runs.stepPart(...storedAt(id, path), part)
  if (text === null) throw notFound('step', `${id}/${path}`)
  return text
}

/** Returns the steps of one part of a run, such as a round of a loop: those whose path begins with `under`. */
export async function listRunSteps(
  services: RunServices,
  id: string,
  under: string,
  { limit, cursor }: Page,
): Promise<Paged<StepView>> {
  const run = await services.runs.get(id, 0)
  if (!run) throw notFound('run', id)
  const [runId, path] = storedAt(id, under)
  const part = { under: path, after: Number(cursor ?? -1), limit: limit + 1, maxBytes: SHOWN_BYTES }
  const entries = shownEntries(run, await services.runs.stepsPage(runId, part)).map((entry) => ({
    ...entry,
    path: shownPath(runId, entry.path),
  }))
  const shown = entries.slice(0, limit)
  return {
    items: shown.map((entry) => stepView(entry, (value) => services.secrets.redact(value, run.flowId))),
    nextCursor: entries.length > limit ? String(shown.at(-1)!.seq) : null,
  }
}

/** Returns the document that the run follows, even if the flow has changed or is gone. */
export async function readRunDocument(services: RunServices, id: string): Promise<{ document: unknown }> {
  const run = await services.runs.followed(id)
  if (!run) throw notFound('run', id)
  return { document: await documentOf(services, run) }
}

/** Returns the document that a run follows. */
export async function documentOf(
  { flows }: Pick<RunServices, 'flows'>,
  run: Pick<NewRun, 'flowId' | 'version' | 'document'>,
): Promise<unknown> {
  const text = run.document ?? (await flows.version(run.flowId, run.version!))?.document
  if (!text) throw new OperationError(CODE.not_found, 'The flow of this run was deleted, and its versions with it.')
  return parseJson(text)
}

// Stored data is redacted already; it is redacted again for secrets of the flow that became known since.
export const runSummary =
  (
    { secrets }: RunServices,
    names: ReadonlyMap<string, string>,
    replays: ReadonlyMap<string, { run: string; status: RunStatus }>,
  ) =>
  (run: RunSummaryRecord): RunSummary => ({
    id: run.id,
    flowId: run.flowId,
    flowName: names.get(run.flowId) ?? null,
    version: run.version,
    status: run.status,
    test: run.test,
    error: secrets.redact(run.error, run.flowId),
    createdAt: new Date(run.createdAt).toISOString(),
    startedAt: isoOrNull(run.startedAt),
    finishedAt: isoOrNull(run.finishedAt),
    replayOf: run.replayOf,
    ...(replays.has(run.id) && { replayedAs: replays.get(run.id)! }),
    ...(run.edited && { edited: true as const }),
    ...(run.dataDeleted && { dataDeleted: true as const }),
    trigger: triggerView(run.trigger),
    parent: parentView(run.parent),
    labels: secrets.redact(run.labels ?? null, run.flowId),
  })

export const stepView = (entry: ShownEntry, redact: <T>(value: T) => T): StepView => ({
  path: entry.path,
  id: entry.id,
  kind: entry.kind,
  status: entry.status,
  attempt: entry.attempt,
  ...(entry.attempts && { attempts: redact(entry.attempts.map(attemptView)) }),
  startedAt: new Date(entry.startedAt).toISOString(),
  finishedAt: isoOrNull(entry.finishedAt),
  ...(entry.resumeAt !== null && { resumeAt: new Date(entry.resumeAt).toISOString() }),
  input: redact(entry.input),
  output: redact(entry.shown ? entry.shown.output : entry.output),
  error: redact(entry.error),
  logs: redact(entry.logs ?? []),
  ...(entry.omitted && { omitted: entry.omitted }),
})

const attemptView = (attempt: StepAttempt): AttemptView => ({
  ...attempt,
  startedAt: new Date(attempt.startedAt).toISOString(),
})

/** Omits large parts of an entry that does not come from the store, which omits them itself. */
export function withoutLargeParts(entry: JournalEntry): ShownEntry {
  const omitted = PARTS.filter((part) => isLarge(entry[part]))
  if (omitted.length === 0) return entry
  return { ...entry, ...Object.fromEntries(omitted.map((part) => [part, null])), omitted }
}

const PARTS = ['input', 'output', 'logs'] as const satisfies StepPart[]

function variables(entries: JournalEntry[]): Record<string, unknown> {
  const vars: Record<string, unknown> = Object.create(null)
  for (const entry of entries) if (entry.outcome === 'assign') Object.assign(vars, entry.output)
  return vars
}

const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
