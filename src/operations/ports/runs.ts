// The port to the store of runs.
import type { Claim, JournalEntry, NewRun, RunError, RunStartData, RunStatus } from '../../engine/ports/run-journal.ts'
import type { KeyValueOperation, StepError } from '../../engine/step-kind.ts'
import type { Labels } from '../../flow/triggers/labels.ts'
import type { RecordEntry } from './audit.ts'
import type { ShownWebhook } from './deliveries.ts'
import type { FlowVersion, RouteRecord } from './flows.ts'
import type { Page, Paged } from './page.ts'

/** A journal entry for display. `omitted`: these parts exceed the requested size and were not read. */
export type ShownEntry = JournalEntry & { omitted?: StepPart[] }

export type StepPart = 'input' | 'output' | 'logs'

/** The beginning of a run for display. `givenOmitted`: what it was given exceeds the requested size and was not read. */
export interface ShownStart {
  webhook: ShownWebhook | null
  given: RunStartData['given']
  givenOmitted?: true
}

export type RunSummaryRecord = Omit<RunRecord, keyof ShownStart>

export interface RunRecord extends Omit<NewRun, 'hops' | 'document' | 'replyStatus' | keyof RunStartData>, ShownStart {
  status: RunStatus
  error: RunError | null
  startedAt: number | null
  finishedAt: number | null
  /** Whether its data was deleted with its end, or is about to be. */
  dataDeleted?: true
}

/** A run as it was accepted. */
export type OriginalRun = NewRun & Pick<RunRecord, 'dataDeleted'>

export interface RunFilter {
  flowId: string | null
  status: RunStatus | null
  since: number | null
  until: number | null
  /** The group of failures that the runs belong to. */
  failure?: string | null
  /** Only runs that have all of these. */
  labels?: Labels | null
  /** Only of these flows. */
  among?: readonly string[] | null
}

/** A label that some run has. */
export interface LabelRecord {
  name: string
  value: string
  /** The newest run that has it. */
  runId: string
}

/** Selects steps of a run: those whose path begins with `under`, after position `after` in the order of their begin. */
export interface StepsPage {
  under: string
  after: number
  limit: number
  /** The most bytes of inputs, outputs and logs, each and in total. */
  maxBytes?: number
}

/** A run that a step of another run started. */
export interface ChildView {
  run: string
  /** The path of the step. */
  step: string
  flow: string
  status: RunStatus
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

/** What a replay copies from the journal of another run: everything before the step that it begins with. */
export interface ReplayedJournal {
  runId: string
  /** The position of that step in the order in which the run's steps began. */
  before: number
  /** Results of steps to take as given, in place of those of the other run. */
  given?: readonly JournalEntry[]
}

/** The conditions under which a run is accepted. */
export interface RunTerms {
  /** The most runs of its flow at the same time. */
  concurrency: number | null
  /** Whether a caller of this process waits for the reply. */
  awaited: boolean
  /** Whether the process that accepts the run may keep it in memory. */
  small?: boolean
  /** Set if the run is accepted only while this webhook leads to this version. */
  route: RouteRecord | null
  /** Records who started the run, in the transaction that stores it; not called if nothing is accepted. */
  entry?: RecordEntry | null
}

export interface Accepted {
  /** The run that holds the dedupe key; if set, nothing was accepted. */
  duplicateOf: string | null
  /** Whether the webhook leads elsewhere by now, so that nothing was accepted. */
  stale?: boolean
  /** Set if this process runs it and holds it already. */
  claim?: Claim | null
  /** Whether the run waits until its flow is resumed. */
  held?: boolean
}

/** Says that a run, of which the claim was given before it was stored, has not begun, and what became of it instead. */
export class NotBegun extends Error {
  readonly accepted: Accepted
  constructor(accepted: Accepted) {
    super('The run has not begun here.')
    this.accepted = accepted
  }
}

export interface RunStore {
  /** Resolves when the run is durable. If another run holds the dedupe key, starts nothing and returns that run's id. */
  accept(run: NewRun, dedupe?: Dedupe | null, journal?: ReplayedJournal | null, terms?: RunTerms): Promise<Accepted>
  /**
   * Begins to store a small run that needs no dedupe key, and returns the claim on it: what it does before anything leaves the process is
   * stored with its start. `stored` rejects with NotBegun if the run was not to begin. Returns null if it has to be accepted first.
   */
  begin?(run: NewRun, terms: RunTerms): (Claim & Required<Pick<Claim, 'stored'>>) | null
  /** Returns the run as it was accepted, with its true values, unless they are deleted. */
  original(id: string): Promise<OriginalRun | null>
  /** Returns the version that the run follows, or its document if it is a run of a draft. */
  followed(id: string): Promise<Pick<NewRun, 'flowId' | 'version' | 'document'> | null>
  /** Returns the position of the step at that path in the order in which the run's steps began. */
  seqOf(id: string, path: string): Promise<number | null>
  /** Returns the run, without its body if that exceeds `maxBodyBytes`. */
  get(id: string, maxBodyBytes?: number): Promise<RunRecord | null>
  /** Returns the failure handler of a run; null if it has none. */
  handler(id: string): Promise<RunSummaryRecord | null>
  /** Returns steps with at most `maxBytes` of inputs, outputs and logs, each and in total. */
  steps(id: string, maxBytes?: number): Promise<ShownEntry[]>
  stepsPage(id: string, page: StepsPage): Promise<ShownEntry[]>
  /** Returns a part of one step in its stored, readable form, as JSON text; null if there is none. */
  stepPart(id: string, path: string, part: StepPart): Promise<string | null>
  /** Returns the delivered body in its stored, readable form; null if there is no such run. */
  body(id: string): Promise<Uint8Array | null>
  list(filter: RunFilter, page: Page): Promise<Paged<RunSummaryRecord>>
  /** Returns the newest replay of each of these runs that has one. */
  replaysOf(ids: readonly string[]): Promise<ReadonlyMap<string, { run: string; status: RunStatus }>>
  /** Returns the path of the step that failed the run; null if none did. */
  failedAt(id: string): Promise<string | null>
  /** Returns the first labels, in the order of their values, whose value begins with this text. */
  labelsLike(beginning: string, limit: number): Promise<LabelRecord[]>
  /** Returns the newest run of each of these flows. */
  latestOf(flowIds: readonly string[]): Promise<{ flowId: string; id: string; status: RunStatus; createdAt: number }[]>
  /** Runs an operation on a flow's keys outside of a run. */
  operate(flowId: string, operation: KeyValueOperation, now: number): Promise<KeyValueResult>
  /**
   * Cancels the runs and those that they wait for, in one transaction; the processes that run them lose their claims. Makes the
   * runs due that wait for them. Returns what was cancelled: nothing of runs that had finished before.
   */
  cancel(ids: string | readonly string[], at: number, error: RunError): Promise<{ id: string; flowId: string }[]>
  /** Returns the first runs that the steps of a run have started. */
  children(id: string, limit: number): Promise<ChildView[]>
  /** Returns a page of unfinished runs in the order of their arrival. */
  active(status: 'queued' | 'running', after: string | null, limit: number): Promise<UnfinishedRun[]>
  /** Returns the versions that have waiting runs. */
  waitingVersions(): Promise<FlowVersion[]>
  /** Returns a page of a version's waiting runs that hold a place, in the order of their arrival. */
  waiting(of: FlowVersion, after: string | null, limit: number): Promise<UnfinishedRun[]>
  /** Returns the waiting runs that are due, and when the next one is. */
  due(now: number, limit: number): Promise<{ runs: UnfinishedRun[]; nextAt: number | null }>
  /** Counts one more attempt of every run that a dead process left running. */
  countRecovered(): Promise<number>
}
