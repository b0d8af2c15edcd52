// Lists what the engine needs from its surroundings.

import type { Hashing } from '../run-bindings.ts'
import type { CallerReply, StepError } from '../step-kind.ts'
import type { TraceHeaders } from '../trace-context.ts'
import type { CallbackJournal } from './callbacks.ts'
import type { Connections } from './connections.ts'
import type { FileStore } from './files.ts'
import type { HttpClient, ReplyRoom } from './http-client.ts'
import type { ChildRun, ClaimedRun, RunJournal, RunProgress } from './run-journal.ts'
import type { Sandbox } from './sandbox.ts'
import type { RunTracing } from './tracing.ts'

/** A call of a flow by a step. */
export interface Call {
  flow: string
  input: unknown
  /** The path of the step. */
  step: string
  wait: boolean
  trace: TraceHeaders | null
}

export interface EnginePorts {
  journal: RunJournal
  callbacks: CallbackJournal
  /** Prepares a run of the called flow's live version, or says why there can be none. Stores nothing. */
  prepareCall(run: Pick<ClaimedRun, 'id' | 'test' | 'hops' | 'trigger'>, call: Call): Promise<ChildRun | StepError>
  /** Returns the flow that is called when a run has failed whose flow says nothing about that; null if there is none. */
  failureFlow(flowId: string): string | null
  /** Returns whether an alert has to look at the end of this run. */
  alerting(run: ClaimedRun, status: 'failed' | 'succeeded'): boolean
  files: FileStore
  /** The largest file. */
  maxFileBytes: number
  http: HttpClient
  sandbox: Sandbox
  /** null if runs are not traced. */
  tracing: RunTracing | null
  now(): number
  /** Returns a number in [0, 1). */
  random(): number
  hashing: Hashing
  env: Readonly<Record<string, string>>
  /** The plain variables of the server. */
  config: Readonly<Record<string, string>>
  connections: Connections
  /** Sends a reply to the webhook's caller, if the caller still waits. */
  reply(run: ClaimedRun, reply: CallerReply): void
  /** Reports that the default reply is sent in place of the flow's own. */
  replyRefused(run: ClaimedRun, reason: string): void
  /** Notes that possibly long work on a run begins, so that the loop watch can name what held the event loop. */
  begins(what: string, runId: string): void
  /** null if replies need no room. */
  replyRoom: ReplyRoom | null
  /** Is called after each progress of the run that is durable. */
  progressed(run: ClaimedRun, progress: RunProgress): void
  /** Resolves when a database that refused a write is worth another try. */
  storageTrouble(error: unknown): Promise<void>
  bug(error: unknown, run: ClaimedRun): void
  /** Returns whether the text holds a secret that the flow has access to. */
  holdsSecret(text: string, flowId: string): boolean
  /** Resolves `done` at `time`; `end` cancels the wait. */
  sleepUntil(time: number): { done: Promise<void>; end(): void }
  /** Returns the value with its secrets hidden, except those that the run's caller sent itself. */
  redactReply<T>(value: T, run: ClaimedRun): T
  /** Returns the value with the secrets of the flow hidden. */
  redact<T>(value: T, flowId: string): T
}
