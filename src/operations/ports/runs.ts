// Where runs are kept.
import type { Claim, JournalEntry, NewRun, RunError, RunStatus } from '../../engine/ports/run-journal.ts'
import type { KeyValueOperation, StepError } from '../../engine/step-kind.ts'
import type { ShownWebhook } from './deliveries.ts'
import type { FlowVersion, RouteRecord } from './flows.ts'
import type { Page, Paged } from './page.ts'

/** `omitted`: these are larger than what was asked for, and were not read. */
export type ShownEntry = JournalEntry & { omitted?: StepPart[] }

export type StepPart = 'input' | 'output' | 'logs'

export interface RunRecord extends Omit<NewRun, 'hops' | 'document' | 'replyStatus' | 'webhook'> {
  webhook: ShownWebhook
  status: RunStatus
  error: RunError | null
  startedAt: number | null
  finishedAt: number | null
}

export interface RunFilter {
  flowId: string | null
  status: RunStatus | null
  since: number | null
  until: number | null
}

/** Part of a run's steps: those whose path begins with `under`, after the place `after` in the order of their begin. */
export interface StepsPage {
  under: string
  after: number
  limit: number
  /** So many bytes at most of what they worked with and what came of them, each and in all. */
  maxBytes?: number
}

export interface UnfinishedRun {
  id: string
  flowId: string
  version: number | null
  status: RunStatus
  resumeAt: number | null
}

export interface Dedupe {
  key: string
  expiresAt: number
}

export type KeyValueResult = { output: unknown } | { error: StepError }

/** What a replay takes over from the journal of another run: all that came before the step it begins with. */
export interface ReplayedJournal {
  runId: string
  /** The place of that step in the order in which the run's steps began. */
  before: number
}

/** What goes with a run that is taken on. */
export interface RunTerms {
  /** At most so many runs of its flow at once. */
  concurrency: number | null
  /** A caller of this process waits for its reply. */
  awaited: boolean
  /** Taken on only while this webhook leads to this version; null: whatever webhooks say. */
  route: RouteRecord | null
}

export interface Accepted {
  /** The run that holds the dedupe key: nothing was taken on. */
  duplicateOf: string | null
  /** The webhook leads elsewhere by now: nothing was taken on. */
  stale?: boolean
  /** This process is to run it, and holds it already. */
  claim?: Claim | null
}

export interface RunStore {
  /** Durable when it resolves. With a dedupe key that another run holds, nothing starts and that run's id comes back. */
  accept(run: NewRun, dedupe?: Dedupe | null, journal?: ReplayedJournal | null, terms?: RunTerms): Promise<Accepted>
  /** The run as it was taken on, with its true values. */
  original(id: string): Promise<NewRun | null>
  /** The version that the run follows; a run of a draft has its document. */
  followed(id: string): Promise<Pick<NewRun, 'flowId' | 'version' | 'document'> | null>
  /** When the step at that path began, in the order of the run's steps. */
  seqOf(id: string, path: string): Promise<number | null>
  /** Without its body where that is larger than `maxBodyBytes`. */
  get(id: string, maxBodyBytes?: number): Promise<RunRecord | null>
  /** So many bytes at most of what they worked with and what came of them, each and in all. */
  steps(id: string, maxBytes?: number): Promise<ShownEntry[]>
  stepsPage(id: string, page: StepsPage): Promise<ShownEntry[]>
  /** Of one step, as the JSON text that is stored in sight; null: it is not there. */
  stepPart(id: string, path: string, part: StepPart): Promise<string | null>
  /** What was delivered, as it is stored in sight; null: there is no such run. */
  body(id: string): Promise<Uint8Array | null>
  list(filter: RunFilter, page: Page): Promise<Paged<Omit<RunRecord, 'webhook'>>>
  /** The newest run of each of these flows. */
  latestOf(flowIds: readonly string[]): Promise<{ flowId: string; id: string; status: RunStatus; createdAt: number }[]>
  /** An operation on a flow's keys outside of a run. */
  operate(flowId: string, operation: KeyValueOperation, now: number): Promise<KeyValueResult>
  /** false: it had finished before. Whoever runs it has lost its claim. */
  cancel(id: string, at: number, error: RunError): Promise<boolean>
  /** In the order in which they came, page by page. */
  active(status: 'queued' | 'running', after: string | null, limit: number): Promise<UnfinishedRun[]>
  /** The versions that have runs waiting. */
  waitingVersions(): Promise<FlowVersion[]>
  /** The runs of a version that wait, in the order in which they came, page by page. */
  waiting(of: FlowVersion, after: string | null, limit: number): Promise<UnfinishedRun[]>
  /** Waiting runs whose time has come, and when the next one's comes. */
  due(now: number, limit: number): Promise<{ runs: UnfinishedRun[]; nextAt: number | null }>
  /** Counts one more attempt of every run that a dead process left running. */
  countRecovered(): Promise<number>
}
