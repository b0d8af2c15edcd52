// The port to the store of runs and their journals.
import type { Labels } from '../../flow/triggers/labels.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import type { KeyValueOperation, ShownOutput, StepError } from '../step-kind.ts'
import type { TraceHeaders } from '../trace-context.ts'
import type { WebhookData } from '../webhook-data.ts'

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'

export interface RunError extends StepError {
  /** The id of the step that failed. */
  step?: string
}

/** Runs that take at most this many bytes to read do not count against the memory limit. */
export const SMALL_RUN = 8_192

/** The kind of a journal entry that stands for a finished round of a loop; it is not shown as a step. */
export const ROUND = 'round'

/** One attempt of a step that was tried again. */
export interface StepAttempt {
  number: number
  startedAt: number
  /** null while it is under way. */
  durationMs: number | null
  /** The status of the reply, if there was one. */
  status?: number
  error?: { code: string; message: string }
}

/** The latest state of one step of a run. An entry replaces the earlier entry of the same path. */
export interface JournalEntry {
  path: string
  id: string
  kind: string
  /** The position of the step in the order in which the run's steps began. */
  seq: number
  status: StepStatus
  attempt: number
  /** The first and the last attempts of a step that was tried again; null or absent if there was one only. */
  attempts?: readonly StepAttempt[] | null
  startedAt: number
  finishedAt: number | null
  /** How a resumed or replayed run treats the output; null while there is none. */
  outcome: 'done' | 'assign' | 'reply' | 'stop' | 'failed' | 'wait' | 'call' | 'callback' | null
  /** The choice that a step made before it ran nested steps; the id of the run that it called; what callback it awaits. */
  decision: unknown
  /** The time at which a waiting step continues. */
  resumeAt: number | null
  input: unknown
  output: unknown
  /** The value that is stored readably, and shown, in place of a secret output. */
  shown?: ShownOutput | undefined
  error: StepError | null
  logs: readonly string[] | null
  /** An operation that runs in the transaction that records the entry; `output` or `error` then holds its result. */
  operation?: KeyValueOperation
  /** A run that is stored in the transaction that records the entry. */
  child?: ChildRun
}

/** How a run began. */
export interface RunTrigger {
  /** The kind of the flow's trigger. */
  kind: string
  /** The planned time of a run that a schedule started. */
  at?: number
  /** Whether a person or program started it in place of its trigger. */
  manual?: true
  /** Set for a run that was called because another run had failed, directly or not: its own failure is not handled. */
  forFailure?: true
  /** Of a failure handler: the flow that it calls, if that is not said by the flow whose run failed. */
  flow?: string
  /** Who admitted the rejected delivery that started it, and which one that was. */
  admitted?: { by: string; delivery: string }
  /** The trace that the run belongs to, if a run that belongs to one called it. */
  trace?: TraceHeaders
}

/** The step of another run that started a run. */
export interface RunParent {
  run: string
  /** The path of the step. */
  step: string
  /** Whether that run waits for this one to end. */
  waits: boolean
}

/** What templates read of the beginning of a run. */
export interface RunStartData {
  /** The delivery that started the run; null if something else did. */
  webhook: WebhookData | null
  /** The roots of a run that no delivery started, such as `input`. */
  given: Readonly<Record<string, unknown>> | null
}

export interface NewRun extends RunStartData {
  id: string
  flowId: string
  /** The published version that the run executes; null for a run of a draft, which carries its document. */
  version: number | null
  document: string | null
  test: boolean
  trigger: RunTrigger
  parent: RunParent | null
  hops: number
  /** The status of the immediate reply; null if the reply comes from the run. */
  replyStatus: number | null
  createdAt: number
  replayOf: string | null
  /** Whether its webhook or results of its steps were changed for a replay. */
  edited?: true
  /** What the trigger's labels gave as the run was taken on; null or absent if nothing. */
  labels?: Labels | null
  /** The files that the run uses from its start, each once: they are checked and kept with it. */
  files?: readonly string[]
}

/** The kind of the trigger of a failure handler: the run, of the same flow, that does what is due when a run has failed. */
export const FAILURE = 'failure'
/** How paths of a failure handler begin where the failed run shows them. */
export const ON_FAILURE = 'onFailure'
const HANDLER = /^(.*)_failure$/s

/** Returns the id of the failure handler of a run, which has at most one. */
export const handlerIdOf = (runId: string): string => `${runId}_failure`
/** Returns the run whose failure a run handles; null if the id is not that of a failure handler. */
export const handledBy = (runId: string): string | null => HANDLER.exec(runId)?.[1] ?? null

/** Returns the path of a step as it is shown: those of a failure handler in the failed run. */
export const shownPath = (runId: string, path: string): string =>
  handledBy(runId) === null ? path : `${ON_FAILURE}/${path}`

export const isHandler = ({ trigger }: Pick<NewRun, 'trigger'>): boolean => trigger.kind === FAILURE

/** A run that a step of another run starts. */
export interface ChildRun {
  run: NewRun
  /** The most runs of its flow at the same time. */
  concurrency: number | null
  /** Whether its flow was paused when the call was made, so that it waits. */
  held?: boolean
}

/** How a run ended. */
export interface RunEnd {
  status: 'succeeded' | 'failed' | 'cancelled'
  error: RunError | null
  /** The body of the first reply that a step made, else the variables. */
  result: unknown
}

export type RunStart = Pick<NewRun, 'trigger' | 'webhook' | 'given' | 'parent'>

export const BY_DELIVERY: RunTrigger = Object.freeze({ kind: WEBHOOK })

/** Returns the beginning of a run that a delivery started. */
export const startedByDelivery = (webhook: WebhookData): RunStart => ({
  trigger: BY_DELIVERY,
  webhook,
  given: null,
  parent: null,
})

export interface Claim {
  runId: string
  /** A number that each claim raises. A write with a lower one changes nothing. */
  epoch: number
  /** Set for a run that begins before its start is durable: settles when it is, or cannot be. Nothing leaves the process before. */
  stored?: Promise<unknown>
}

export interface ClaimedRun extends NewRun {
  claim: Claim
  /** 1, plus one for each time the run was resumed after a crash. */
  attempt: number
  startedAt: number
  /** The entries recorded outside of loops. The rounds of a loop are read when the walk reaches the loop. */
  journal: JournalEntry[]
  /** The variables after every recorded assignment. */
  vars: Record<string, unknown>
  lastSeq: number
  /** The process whose caller waits for the reply, if there are several processes. */
  replyTo?: string | null
  /** Whether the run holds one of its flow's concurrency places until it ends. */
  placed?: boolean
  /** Set if the run was claimed but cannot be read: why. */
  unreadable?: unknown
}

export interface RunProgress {
  status: RunStatus
  startedAt: number
  finishedAt: number | null
  resumeAt: number | null
  error: RunError | null
  entries: readonly JournalEntry[]
  /** The JSON of what is large in the entries, by value: it was written in several turns of the event loop. */
  texts?: ReadonlyMap<unknown, string>
  /**
   * The stored runs, and the callbacks by their paths, that a waiting run waits for: if one of them has ended already, or is
   * answered or has an answer that the run has not looked at, the run is due now.
   */
  awaits?: { runs: readonly string[]; callbacks: readonly string[]; now: number }
  /** Whether the run is part of what is done because another failed: its own failure belongs to no group. */
  forFailure?: boolean
  /** Whether alerts have to look at how the run ended. */
  alerting?: boolean
  /** The failure handler that is stored together with the end of the run. */
  handler?: NewRun
  /** Whether the data of the run, which ends, is to be deleted. */
  erase?: boolean
}

/**
 * How far a process carried a run. A parked run without `resumeAt` waits for another run to end; one with `placeGiven` waits
 * for a callback, and holds no place of its flow meanwhile.
 */
export type Advanced =
  | { state: 'finished' | 'lost' | 'interrupted' }
  | { state: 'parked'; resumeAt: number | null; placeGiven?: boolean }

export interface RunJournal {
  /** Claims the run for this process; null if finished or gone. `fresh`: the run, if this process just accepted it. */
  claim(runId: string, now: number, fresh?: NewRun | null): Promise<ClaimedRun | null>
  /** Claims a run without reading what it began with or did: that cannot be read. Null if finished or gone. */
  claimUnread(runId: string, now: number): Promise<ClaimedRun | null>
  /** Returns the finished rounds of the loop whose rounds are stored under `base`. */
  rounds(runId: string, base: string): Promise<{ index: number; output: unknown; error: StepError | null }[]>
  /** Returns the latest result of each step in the rounds under `base`, except steps of nested loops. */
  latestOfRounds(runId: string, base: string): Promise<JournalEntry[]>
  /** Returns a run that has ended, with its journal as a claim has it; null if it is gone. */
  ended(runId: string): Promise<ClaimedRun | null>
  /** Returns how a run ended; null if it has not. */
  endOf(runId: string): Promise<RunEnd | null>
  /** Returns the entries under a path. */
  entriesUnder(runId: string, prefix: string): Promise<JournalEntry[]>
  /**
   * Returns whether the claim still stands, before a step reaches out. Absent if no other process can take runs unnoticed.
   * Returns true at once if the claim was confirmed a moment ago.
   */
  holds?(claim: Claim): true | Promise<boolean>
  /** Returns whether, by the clock alone, no other process can have declared this one dead yet. */
  isCertain?(): boolean
  /** Resolves when the progress is durable; to false if the claim was lost and nothing was written. */
  record(claim: Claim, progress: RunProgress): Promise<boolean>
}
