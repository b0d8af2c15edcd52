// Runs as the API shows them.
import type { JournalEntry, RunError, RunStatus } from '../engine/run-store.ts'
import type { WebhookData } from '../engine/webhook-data.ts'
import { notFound } from './operation-error.ts'
import type { Page, Paged, RunFilter, RunRecord, Secrets } from './ports.ts'
import type { Services } from './services.ts'

export interface StepView {
  path: string
  id: string
  kind: string
  status: JournalEntry['status']
  attempt: number
  startedAt: string
  finishedAt: string | null
  input: unknown
  output: unknown
  error: JournalEntry['error']
  logs: readonly string[]
}

export interface RunSummary {
  id: string
  flowId: string
  version: number | null
  status: RunStatus
  test: boolean
  error: RunError | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  replayOf: string | null
}

export interface RunView extends RunSummary {
  webhook: WebhookData
  vars: Record<string, unknown>
  steps: StepView[]
}

export async function readRun(services: Services, id: string): Promise<RunView> {
  const run = await services.runs.get(id)
  if (!run) throw notFound('run', id)
  const entries = await services.runs.steps(id)
  const { redact } = services.secrets
  return {
    ...runSummary(services)(run),
    webhook: redact(run.webhook),
    vars: redact(variables(entries)),
    steps: entries.map((entry) => stepView(entry, redact)),
  }
}

export async function listRuns(services: Services, filter: RunFilter, page: Page): Promise<Paged<RunSummary>> {
  const { items, nextCursor } = await services.runs.list(filter, page)
  return { items: items.map(runSummary(services)), nextCursor }
}

// What was stored is redacted; it is again here, for secrets that have become known since.
const runSummary =
  ({ secrets }: Services) =>
  (run: Omit<RunRecord, 'webhook'>): RunSummary => ({
    id: run.id,
    flowId: run.flowId,
    version: run.version,
    status: run.status,
    test: run.test,
    error: secrets.redact(run.error),
    createdAt: new Date(run.createdAt).toISOString(),
    startedAt: isoOrNull(run.startedAt),
    finishedAt: isoOrNull(run.finishedAt),
    replayOf: run.replayOf,
  })

export const stepView = (entry: JournalEntry, redact: Secrets['redact']): StepView => ({
  path: entry.path,
  id: entry.id,
  kind: entry.kind,
  status: entry.status,
  attempt: entry.attempt,
  startedAt: new Date(entry.startedAt).toISOString(),
  finishedAt: isoOrNull(entry.finishedAt),
  input: redact(entry.input),
  output: redact(entry.output),
  error: redact(entry.error),
  logs: redact(entry.logs ?? []),
})

function variables(entries: JournalEntry[]): Record<string, unknown> {
  const vars: Record<string, unknown> = Object.create(null)
  for (const entry of entries) if (entry.outcome === 'assign') Object.assign(vars, entry.output)
  return vars
}

const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
