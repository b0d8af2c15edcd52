// Starts the replays of jobs at their pace. Several processes need no leader: whoever takes a turn first has it, and an item
// gets its replay in the transaction that marks it.
import { FlowUnusable } from '../../engine/engine.ts'
import { replayTopic } from '../events/events.ts'
import { OperationError } from '../operation-error.ts'
import type { ReplayJobRecord } from '../ports/replays.ts'
import { RepeatedLook } from '../repeated-look.ts'
import { prepareReplay, type Replay } from '../runs/prepare-replay.ts'
import { noRoomFor } from '../runs/room.ts'
import { runStarted } from '../runs/start-run.ts'
import { jobView, type StoredRequest } from './replay-jobs.ts'
import type { FailureServices } from './services.ts'

const IDLE_MS = 1_000
const BUSY_MS = 250
const SHORTEST_MS = 5
/** The time between two turns of a job; each starts as many replays as the pace allows. */
const TURN_MS = 100
/** The most jobs that are worked on at the same time. */
const MOST_JOBS = 10
/** Replays that are prepared together: their runs are read and written between two turns of the event loop. */
const AT_ONCE = 5
const SETTLED_AT_ONCE = 200
/** Pages of replays under way that are looked through in one look. */
const PAGES = 5

export class ReplayLoop {
  readonly #services: FailureServices
  /** How far the replays under way were looked through, by job: those that wait for long must not hide the others. */
  readonly #settledUpTo = new Map<string, string | null>()
  /** What the watchers of each job were told last. */
  readonly #told = new Map<string, string>()
  readonly #loop: RepeatedLook

  constructor(services: FailureServices) {
    this.#services = services
    this.#loop = new RepeatedLook(
      () => this.look(),
      IDLE_MS,
      ({ message }) => services.warn('replays could not be looked at; it is tried again', { reason: message }),
    )
  }

  start(): void {
    this.wake()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Looks at once, because a job was made or changed. */
  wake(): void {
    this.#loop.wake()
  }

  /** Starts what is due, counts what has ended, and returns in how many milliseconds to look again. */
  async look(): Promise<number> {
    const { replays, now } = this.#services
    const jobs = await replays.active(MOST_JOBS)
    let sleepMs = jobs.length ? BUSY_MS : IDLE_MS
    for (const job of jobs) {
      if (this.#loop.isStopped) return sleepMs
      const nextAt = job.state === 'running' && job.started < job.total ? await this.#takeTurn(job) : null
      await this.#settle(job.id)
      await replays.finish(job.id, now())
      await this.#tell(job.id)
      if (nextAt !== null) sleepMs = Math.min(sleepMs, Math.max(SHORTEST_MS, nextAt - now()))
    }
    const active = new Set(jobs.map(({ id }) => id))
    for (const id of this.#settledUpTo.keys()) if (!active.has(id)) this.#settledUpTo.delete(id)
    // A job that has ended here or elsewhere since.
    for (const id of this.#told.keys()) if (!active.has(id)) await this.#tellLast(id)
    return sleepMs
  }

  /** Starts as many replays as the pace allows now. Returns when the next turn is. */
  async #takeTurn({ id, pace, nextAt, request }: ReplayJobRecord): Promise<number> {
    const { replays, now } = this.#services
    const at = now()
    if (nextAt > at) return nextAt
    const count = Math.max(1, Math.round((pace * TURN_MS) / 1000))
    const spacingMs = (count * 1000) / pace
    if (!this.#hasRoom() || !(await replays.takeTurn(id, at, spacingMs))) return at + spacingMs
    const runIds = await replays.waiting(id, count)
    const how = JSON.parse(request) as StoredRequest
    for (let i = 0; i < runIds.length && !this.#loop.isStopped && this.#hasRoom(); i += AT_ONCE)
      await Promise.all(runIds.slice(i, i + AT_ONCE).map((runId) => this.#startSafely(id, runId, how)))
    return nextAt + spacingMs
  }

  /** Replays leave half of the queue to deliveries: they wait, where a delivery would be refused. */
  #hasRoom(): boolean {
    const { queue, maxQueue } = this.#services
    return queue.size < maxQueue / 2
  }

  async #startSafely(jobId: string, runId: string, how: StoredRequest): Promise<void> {
    try {
      await this.#start(jobId, runId, how)
    } catch (error) {
      if (error instanceof OperationError || error instanceof FlowUnusable)
        return this.#services.replays.refuse(jobId, runId, error.message)
      // The item still waits: a later turn takes it.
      this.#services.warn('a replay could not be started; it is tried again', {
        runId,
        reason: (error as Error).message,
      })
    }
  }

  async #start(jobId: string, runId: string, how: StoredRequest): Promise<void> {
    const replay: Replay = { version: how.version, ...(await this.#from(runId, how)) }
    const { run, journal, concurrency } = await prepareReplay(this.#services, { limit: null }, runId, replay)
    const route = run.version === null ? null : await this.#services.published.routeOf(run.flowId)
    if (route?.paused && noRoomFor(this.#services, true)) return
    if (!(await this.#services.replays.start({ jobId, runId, run, journal, concurrency }))) return
    runStarted(this.#services, run, { concurrency, isReplay: true })
  }

  async #from(runId: string, { from }: StoredRequest): Promise<Pick<Replay, 'from'>> {
    if (from === 'start') return {}
    if (from !== 'failed') return { from: from.step }
    const path = await this.#services.runs.failedAt(runId)
    // A run that failed in no step, such as one that did not fit its flow, begins anew.
    return path === null ? {} : { from: path }
  }

  async #settle(id: string): Promise<void> {
    let after = this.#settledUpTo.get(id) ?? null
    for (let page = 0; page < PAGES; page++) {
      const settled = await this.#services.replays.settle(id, after, SETTLED_AT_ONCE)
      after = settled.after
      if (after === null) break
    }
    this.#settledUpTo.set(id, after)
  }

  /** Tells those who watch the job here. Every process looks at all jobs, so none needs word from another. */
  async #tell(id: string): Promise<void> {
    const { events, replays } = this.#services
    const topic = replayTopic(id)
    if (!events.watched(topic)) {
      this.#told.delete(id)
      return
    }
    const job = await replays.get(id)
    if (!job) return
    const view = jobView(job)
    const text = JSON.stringify(view)
    if (this.#told.get(id) === text) return
    this.#told.set(id, text)
    events.emit(topic, { type: 'replay', data: view })
  }

  async #tellLast(id: string): Promise<void> {
    await this.#tell(id)
    this.#told.delete(id)
  }
}
