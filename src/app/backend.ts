// Describes what each of the two databases provides: the stores, and the way that runs reach the processes that run them.
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
import type { DatabaseFacts } from '../operations/ports/instance.ts'
import type { Queue } from '../operations/ports/queue.ts'
import type { ReplayStore } from '../operations/ports/replays.ts'
import type { RunStore } from '../operations/ports/runs.ts'
import type { ScheduleStore } from '../operations/ports/schedules.ts'
import type { Protect } from '../operations/ports/secrets.ts'
import type { Signals } from '../operations/ports/signals.ts'
import type { Backups, SealedRows } from '../operations/ports/upkeep.ts'
import type { RunMemory } from '../queue/run-memory.ts'
import type { FilePlace } from '../storage/files/place.ts'
import type { CauseOf } from '../storage/rows/failures/causes.ts'
import type { Tables } from '../storage/rows/tables.ts'

export interface Backend {
  kind: 'sqlite' | 'postgres'
  /** The location of the database, for the operator. */
  place: string
  kysely: Kysely<Tables>
  together: Together
  /** The chain of the audit log that this process writes. */
  auditChain: string
  signals: Signals
  /** null if backups are made with the tools of the database. */
  backups: Backups | null
  /** Where files are kept, if no bucket is named. */
  filePlace: FilePlace
  /** Reports a change of data that every process caches. Each process learns of it before its next run at the latest. */
  changed(): Promise<void>
  /** Returns the time of the clock that all processes on the database share. */
  now(): number
  /** Returns why the database does not work, in one line that is safe to publish; null if it works. */
  fault(): Promise<string | null>
  database(): Promise<DatabaseFacts>
  hotStores(protect: Protect, causeOf: CauseOf): HotStores
  /** Settles the finished writes of the hot stores now, before the turn of the event loop ends. */
  settleWritten(): void
  sealedRows(): SealedRows
  /** Returns a function that sends a run's reply to the waiting caller, in whichever process the caller waits. */
  sendsReplies(replies: Replies, log: Logger): (run: ClaimedRun, reply: CallerReply) => void
  dispatcher(parts: DispatchParts): Dispatcher
  close(): Promise<void>
}

export interface HotStores {
  journal: RunJournal
  runs: Pick<RunStore, 'accept' | 'begin' | 'operate' | 'original'>
  addDelivery: DeliveryStore['add']
  schedules: Pick<ScheduleStore, 'due' | 'fire'>
  startReplay: ReplayStore['start']
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
  /** Finds unfinished runs, before requests are accepted. Returns the number of runs that continue. */
  recover(): Promise<number>
  /** Begins to start runs. */
  start(): void
  /** Starts no more runs. */
  stop(): void
  /** Leaves the remaining runs to other processes. Called when no run is under way any more. */
  leave(): Promise<void>
}
