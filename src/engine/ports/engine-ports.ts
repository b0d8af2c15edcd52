// What the engine needs of the world around it.

import type { Hashing } from '../run-scope.ts'
import type { CallerReply } from '../step-kind.ts'
import type { Connections } from './connections.ts'
import type { HttpClient, ReplyRoom } from './http-client.ts'
import type { ClaimedRun, RunJournal, RunProgress } from './run-journal.ts'
import type { Sandbox } from './sandbox.ts'
import type { RunTracing } from './tracing.ts'

export interface EnginePorts {
  journal: RunJournal
  http: HttpClient
  sandbox: Sandbox
  /** null: nobody follows runs. */
  tracing: RunTracing | null
  now(): number
  /** In [0, 1). */
  random(): number
  hashing: Hashing
  env: Readonly<Record<string, string>>
  connections: Connections
  /** Hands a reply to the webhook's caller, if one still waits. */
  reply(run: ClaimedRun, reply: CallerReply): void
  /** The default reply goes out in place of what the flow says. */
  replyRefused(run: ClaimedRun, reason: string): void
  /** Work on a run begins that may take its time; for whoever asks what held the event loop. */
  begins(what: string, runId: string): void
  /** null: replies need no room. */
  replyRoom: ReplyRoom | null
  /** After each durable step forward. */
  progressed(run: ClaimedRun, progress: RunProgress): void
  /** The database cannot be written: resolves when it is worth another try. */
  storageTrouble(error: unknown): Promise<void>
  bug(error: unknown, run: ClaimedRun): void
  /** Whether the text holds a secret that the flow can have to do with. */
  holdsSecret(text: string, flowId: string): boolean
  /** Resolves at that time; `end` gives it up. */
  sleepUntil(time: number): { done: Promise<void>; end(): void }
  /** The value with its secrets hidden, but for those that the caller of the run gave itself. */
  redactReply<T>(value: T, run: ClaimedRun): T
}
