// What the two databases bring along: where things are kept, and how runs get to those who run them.
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Engine } from '../engine/engine.ts'
import type { ClaimedRun, RunJournal } from '../engine/ports/run-journal.ts'
import type { CallerReply } from '../engine/step-kind.ts'
import type { Replies } from '../operations/deliveries/replies.ts'
import type { SignalHandler } from '../operations/events/hear-signal.ts'
import type { PublishedFlows } from '../operations/flows/published-flows.ts'
import type { Together } from '../operations/ports/audit.ts'
import type { DeliveryStore } from '../operations/ports/deliveries.ts'
import type { Queue } from '../operations/ports/queue.ts'
import type { RunStore } from '../operations/ports/runs.ts'
import type { Protect } from '../operations/ports/secrets.ts'
import type { Signals } from '../operations/ports/signals.ts'
import type { Backups, SealedRows } from '../operations/ports/upkeep.ts'
import type { RunMemory } from '../queue/run-memory.ts'
import type { Tables } from '../storage/rows/tables.ts'

export interface Backend {
  kind: 'sqlite' | 'postgres'
  /** Where it is, for whoever operates it. */
  place: string
  kysely: Kysely<Tables>
  together: Together
  signals: Signals
  /** null: they are made where the database is. */
  backups: Backups | null
  /** Something has changed that every process keeps in memory; they know of it, at the latest before their next run. */
  changed(): Promise<void>
  /** The clock by which all processes on the database go. */
  now(): number
  /** Why the database cannot do its work, in one line that anybody may read; null: it can. */
  fault(): Promise<string | null>
  hotStores(protect: Protect): HotStores
  /** Settles what the hot stores have written by now, without waiting for the end of a turn of the event loop. */
  settleWritten(): void
  sealedRows(): SealedRows
  /** Hands a run's reply to whoever waits for it, in whichever process. */
  sendsReplies(replies: Replies, log: Logger): (run: ClaimedRun, reply: CallerReply) => void
  dispatcher(parts: DispatchParts): Dispatcher
  close(): Promise<void>
}

export interface HotStores {
  journal: RunJournal
  runs: Pick<RunStore, 'accept' | 'operate' | 'original'>
  addDelivery: DeliveryStore['add']
}

export interface DispatchParts {
  memory: RunMemory
  engine: Engine
  published: PublishedFlows
  runs: RunStore
  replies: Replies
  signalHandler: SignalHandler
  log: Logger
}

export interface Dispatcher {
  queue: Queue
  /** Before requests are taken: what was left undone is found; the number of runs that go on. */
  recover(): Promise<number>
  /** Begins to run runs. */
  start(): void
  /** Takes up nothing more. */
  stop(): void
  /** Nothing is under way any more: what is left is others' from here on. */
  leave(): Promise<void>
}
