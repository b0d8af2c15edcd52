// Runs the service as any number of processes, on PostgreSQL.
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { ClaimedRun } from '../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../engine/ports/storage-unavailable.ts'
import type { CallerReply } from '../engine/step-kind.ts'
import { ClusterQueue } from '../queue/cluster-queue.ts'
import { RunTroubles } from '../queue/run-troubles.ts'
import { WorkerLease } from '../queue/worker-lease.ts'
import type { RunsHere } from '../storage/postgres/accept.ts'
import { openPostgres, type PostgresStorage } from '../storage/postgres/database.ts'
import { databaseFacts } from '../storage/postgres/database-facts.ts'
import { createAddDelivery } from '../storage/postgres/deliveries.ts'
import { createDispatchStore } from '../storage/postgres/dispatch.ts'
import { createChunkPlace } from '../storage/postgres/files/chunk-place.ts'
import type { PostgresClaim } from '../storage/postgres/run-claim.ts'
import { createPostgresRunJournal, type PostgresRunJournal } from '../storage/postgres/run-journal.ts'
import { createPostgresSchedules } from '../storage/postgres/schedules.ts'
import { createPostgresSealedRows } from '../storage/postgres/sealed-rows.ts'
import { PostgresSignals } from '../storage/postgres/signals.ts'
import type { Backend, Dispatcher, DispatchParts } from './backend.ts'
import type { Config } from './config.ts'

const TELL_TRIES = 10
const TELL_AGAIN_MS = 500

/** Returns a name in lower case, because PostgreSQL channels are named after it. */
const nameOf = (kind: string): string => `${kind}_${randomBytes(10).toString('hex')}`

/** A reply that another process sent for a caller of this one. */
interface ReplyMessage {
  runId: string
  reply: CallerReply
}

/** Takes part in running runs. No run is under way before the queue and the lease exist. */
class ThisProcess implements RunsHere {
  readonly node: string
  readonly now: () => number
  claimReady: PostgresRunJournal['claimReady'] | null = null
  #queue: ClusterQueue | null = null
  #lease: WorkerLease | null = null
  #changes: Pick<RunsHere, 'known' | 'catchUp'> = { known: () => 0, catchUp: () => {} }

  constructor(node: string, now: () => number) {
    this.node = node
    this.now = now
  }

  begin(queue: ClusterQueue, lease: WorkerLease, changes: Pick<RunsHere, 'known' | 'catchUp'>): void {
    this.#queue = queue
    this.#lease = lease
    this.#changes = changes
  }

  readonly reserve = () => this.#queue?.reserve() ?? null
  readonly giveBack = () => this.#queue!.giveBack()
  readonly worker = () => this.#lease?.name ?? null
  readonly isCertain = () => this.#lease?.isCertain() ?? false
  readonly renewed = () => this.#lease!.renewed()
  readonly known = () => this.#changes.known()
  readonly catchUp = (changes: number) => this.#changes.catchUp(changes)
}

export async function openOnPostgres(
  config: Config & { databaseUrl: string },
  onCommit: (seconds: number, writes: number) => void,
): Promise<Backend> {
  const storage = await openPostgres(config.databaseUrl)
  const { now } = storage.clock
  const node = nameOf('node')
  const signals = new PostgresSignals(node, storage)
  const here = new ThisProcess(node, now)
  return {
    kind: 'postgres',
    place: 'the database of DATABASE_URL',
    kysely: storage.kysely,
    together: storage.together,
    auditChain: node,
    signals,
    backups: null,
    filePlace: createChunkPlace(storage.steady),
    async changed() {
      await storage.hot.query({ name: 'changed', text: `select nextval('change_count')`, values: [] })
      signals.send({ topic: 'connections' })
    },
    now,
    fault: storage.fault,
    database: () => databaseFacts(storage.kysely),
    hotStores(protect, causeOf) {
      const hot = createPostgresRunJournal(storage, protect, here, onCommit, causeOf)
      const { runs, claimReady, startReplay, ...journal } = hot
      here.claimReady = claimReady
      return {
        journal,
        runs,
        startReplay,
        addDelivery: createAddDelivery(storage.hot, protect),
        schedules: createPostgresSchedules(storage.hot, protect),
      }
    },
    // The database's answers already arrive as events of the loop.
    settleWritten: () => {},
    sealedRows: () => createPostgresSealedRows(storage.steady),
    sendsReplies: (replies, log) => (run, reply) => {
      if (!run.replyTo || run.replyTo === node) replies.send(run.id, reply)
      else void tell(signals, run, reply, log)
    },
    dispatcher: (parts) => createDispatcher(config, storage, signals, here, parts),
    async close() {
      await signals.close()
      await storage.close()
    },
  }
}

function createDispatcher(
  config: Config,
  { hot, clock }: PostgresStorage,
  signals: PostgresSignals,
  here: ThisProcess,
  { engine, replies, signalHandler, memory, log }: DispatchParts,
): Dispatcher {
  const { now } = clock
  const runsRuns = config.role !== 'web'
  const dispatch = createDispatchStore(hot, here.claimReady!, now)
  const trouble = (message: string) => (error: unknown) => log.warn({ reason: (error as Error).message }, message)
  const troubles = new RunTroubles(config.giveUpAfterMs, isOfRun)
  const queue = new ClusterQueue(runsRuns ? config.concurrency : 0, config.maxQueue, config.maxPaused, memory, {
    dispatch,
    worker: here.worker,
    carry: (run) => engine.carry(run),
    advance: (runId) =>
      troubles.carry(
        runId,
        () => engine.advance(runId, null),
        () => engine.giveUp(runId),
      ),
    call: () => signals.call(),
    now,
    failed: trouble('runs could not be taken up; it is tried again'),
    troubled(runId, error) {
      log.error({ err: error, runId }, 'a run could not be carried on')
      return troubles.failed(runId, error)
    },
  })
  const lease = new WorkerLease({
    dispatch,
    newName: () => nameOf('worker'),
    elapsedMs: () => performance.now(),
    // The database does not know the others yet.
    claims: () => engine.claims.filter((claim) => !(claim as PostgresClaim).start),
    carries: (runId) => queue.carries(runId),
    lose: (claims) => engine.lose(claims),
    freed(count) {
      log.warn({ runs: count }, 'runs that nobody carried on go back in line')
      signals.call()
      queue.look()
    },
    failed: trouble('no sign of life could be given; it is tried again'),
  })
  here.begin(queue, lease, signalHandler)
  return {
    queue,
    async recover() {
      await signals.listen({
        work: () => queue.look(),
        signal: signalHandler.hear,
        message: (message) => {
          const { runId, reply } = message as ReplyMessage
          replies.send(runId, reply)
        },
        resumed: signalHandler.resumed,
        failed: trouble('the way to the other processes is broken; it is opened again'),
      })
      if (runsRuns) await lease.start()
      return 0
    },
    start: () => queue.start(),
    stop: () => queue.stop(),
    async leave() {
      if (runsRuns)
        await lease.stop().catch(trouble('runs could not be handed over; others take them in a few seconds'))
      signals.call()
    },
  }
}

/** Returns whether the error may be that of one run, because it is none of the database, whose errors have a severity. */
const isOfRun = (error: unknown): boolean =>
  !(error instanceof StorageUnavailable) && (error as { severity?: unknown } | null)?.severity === undefined

/** Sends a reply to the process where the caller waits. If the message is lost, the caller gets "still running". */
async function tell(signals: PostgresSignals, run: ClaimedRun, reply: CallerReply, log: Logger): Promise<void> {
  const message: ReplyMessage = { runId: run.id, reply }
  for (let left = TELL_TRIES; ; left--) {
    try {
      return await signals.tell(run.replyTo!, message)
    } catch (error) {
      if (left === 0)
        return log.warn({ runId: run.id, reason: (error as Error).message }, 'a reply could not be sent on')
      await new Promise((resolve) => setTimeout(resolve, TELL_AGAIN_MS))
    }
  }
}
