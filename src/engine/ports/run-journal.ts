// The port to where runs and their journals are kept.
import type { KeyValueOperation, ShownOutput, StepError } from '../step-kind.ts'
import type { WebhookData } from '../webhook-data.ts'

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'

export interface RunError extends StepError {
  /** The id of the step that failed. */
  step?: string
}

/** Runs that take no more bytes to read do not count in what memory has room for. */
export const SMALL_RUN = 65_536

/** The kind of a journal entry that stands for a finished round of a loop; it is not shown as a step. */
export const ROUND = 'round'

/** One step of a run, as far as it has come. A later entry of the same path replaces an earlier one. */
export interface JournalEntry {
  path: string
  id: string
  kind: string
  /** Order in which the run's steps began. */
  seq: number
  status: StepStatus
  attempt: number
  startedAt: number
  finishedAt: number | null
  /** How a replay has to take the output; null while there is none. */
  outcome: 'done' | 'assign' | 'reply' | 'stop' | 'failed' | 'wait' | null
  /** What the step decided before it ran nested steps. */
  decision: unknown
  /** When a waiting step goes on. */
  resumeAt: number | null
  input: unknown
  output: unknown
  /** What is stored in sight, and shown, in place of the output. */
  shown?: ShownOutput | undefined
  error: StepError | null
  logs: readonly string[] | null
  /** Done in the transaction that records the entry, which then holds its result as `output` or `error`. */
  operation?: KeyValueOperation
}

export interface NewRun {
  id: string
  flowId: string
  /** The published version it runs; null for a run of a draft, which carries its document. */
  version: number | null
  document: string | null
  test: boolean
  webhook: WebhookData
  hops: number
  /** What the caller was told at once; null where the reply comes from the run. */
  replyStatus: number | null
  createdAt: number
  replayOf: string | null
}

export interface Claim {
  runId: string
  /** Raised by each claim; a write with an older one changes nothing. */
  epoch: number
}

export interface ClaimedRun extends NewRun {
  claim: Claim
  /** 1, and one more for each time the run was taken up again after a crash. */
  attempt: number
  startedAt: number
  /** What was recorded outside of loops; rounds are read when their loop is reached. */
  journal: JournalEntry[]
  /** The variables as all that was recorded left them. */
  vars: Record<string, unknown>
  lastSeq: number
  /** The process whose caller waits for its reply, where there are several. */
  replyTo?: string | null
  /** It holds one of its flow's places until it ends. */
  placed?: boolean
}

export interface RunProgress {
  status: RunStatus
  startedAt: number
  finishedAt: number | null
  resumeAt: number | null
  error: RunError | null
  entries: readonly JournalEntry[]
}

/** How far a run was carried. */
export type Advanced = { state: 'finished' | 'lost' | 'interrupted' } | { state: 'parked'; resumeAt: number }

export interface RunJournal {
  /** Takes the run over for this process; null when it is finished or gone. `fresh`: the run as this process has just accepted it. */
  claim(runId: string, now: number, fresh?: NewRun | null): Promise<ClaimedRun | null>
  /** The finished rounds of the loop whose rounds stand under `base`. */
  rounds(runId: string, base: string): Promise<{ index: number; output: unknown; error: StepError | null }[]>
  /** The latest result of each step in the rounds under `base`, without those of loops inside them. */
  latestOfRounds(runId: string, base: string): Promise<JournalEntry[]>
  /** What was recorded under a path. */
  entriesUnder(runId: string, prefix: string): Promise<JournalEntry[]>
  /**
   * Where others may take the run without this process noticing: whether the claim still stands, for who is about to reach out.
   * At once where that was seen only a moment ago.
   */
  holds?(claim: Claim): true | Promise<boolean>
  /** By the clock alone: whether the others cannot have taken the runs of this process for a dead one's by now. */
  isCertain?(): boolean
  /** Durable when it resolves; false: the claim was lost, nothing was written. */
  record(claim: Claim, progress: RunProgress): Promise<boolean>
}
