// Who runs which run when, among several processes: each takes as many runs out of the database as it has places for.
import { timeOfId } from '../engine/ids.ts'
import { type Advanced, type ClaimedRun, SMALL_RUN } from '../engine/ports/run-journal.ts'
import type { DispatchStore, Queue, QueuedRun, TakenRun } from '../operations/ports/queue.ts'
import { startOf } from './fresh-run.ts'
import type { RunMemory } from './run-memory.ts'

export interface ClusterQueuePorts {
  dispatch: Pick<DispatchStore, 'take' | 'nextDueIn' | 'waiting' | 'admit' | 'lines'>
  /** The name under which this process holds runs; null while it may hold none. */
  worker(): string | null
  carry(run: ClaimedRun): Promise<Advanced>
  /** Takes up a run that this process holds, from where the journal stands. */
  advance(runId: string): Promise<Advanced>
  /** Wakes the processes that may have a place for a run. */
  call(): void
  now(): number
  failed(error: unknown): void
}

/** What nobody was woken for is found all the same. */
const LOOK_EVERY_MS = 1_000
const LINES_EVERY_MS = 5_000
const TRY_AGAIN_MS = 1_000
const TAKE_AT_ONCE = 64

export class ClusterQueue implements Queue {
  readonly #ports: ClusterQueuePorts
  readonly #concurrency: number
  readonly #most: number
  readonly #memory: RunMemory
  /** Runs under way, and places that are kept for runs on their way into the database. */
  #taken = 0
  #started = false
  #looking = false
  #lookAgain = false
  /** Nobody has looked since it was said that there may be something to run. */
  #mayBeMore = false
  #size = 0
  #readySince: number | null = null
  #inLineSince: number | null = null
  /** The runs that this process has in hand; twice, where it lost one and took it up again before it had let go. */
  readonly #carried = new Map<string, number>()
  /** The flows whose line is being looked at; true: it has to be looked at once more. */
  readonly #admitting = new Map<string, boolean>()
  readonly #timers = new Set<NodeJS.Timeout>()

  /** `concurrency` 0: this process only takes runs on. `most`: so far runs that wait are counted. */
  constructor(concurrency: number, most: number, memory: RunMemory, ports: ClusterQueuePorts) {
    this.#concurrency = concurrency
    this.#memory = memory
    this.#most = most
    this.#ports = ports
  }

  /** As of a second ago, and what this process has added since. */
  get size(): number {
    return this.#size
  }

  /** As of a few seconds ago. */
  get oldestSince(): number | null {
    const times = [this.#readySince, this.#inLineSince].filter((time) => time !== null)
    return times.length ? Math.min(...times) : null
  }

  /** How fast the others are is not known here. */
  isSlow(): boolean {
    return false
  }

  /** The holder of a run that is to start here; null where there is no place, or others have waited longer for it. */
  reserve(): string | null {
    if (!this.#started || this.#size > 0 || this.#taken >= this.#concurrency) return null
    const worker = this.#ports.worker()
    if (worker !== null) this.#taken++
    return worker
  }

  giveBack(): void {
    this.#taken--
  }

  carries(runId: string): boolean {
    return this.#carried.has(runId)
  }

  add(run: QueuedRun): void {
    if (run.claim) {
      void this.#carry(this.#ports.carry(startOf(run, this.#ports.now())), run.id, null)
      return
    }
    this.#size++
    if (run.concurrency === null) this.#call()
    else void this.#admit(run.flowId)
  }

  forget({ flowId }: { id: string; flowId: string }): void {
    void this.#admit(flowId)
  }

  /** They are finished in the database: nobody takes them any more. */
  forgetAllOf(): void {}

  start(): void {
    this.#started = true
    this.#every(LOOK_EVERY_MS, () => this.#lookRegularly())
    this.#every(LINES_EVERY_MS, () => this.#admitLines())
    this.look()
  }

  stop(): void {
    this.#started = false
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  /** There may be something to run. */
  look(): void {
    this.#mayBeMore = true
    if (this.#looking) this.#lookAgain = true
    else void this.#look()
  }

  async #look(): Promise<void> {
    this.#looking = true
    try {
      do {
        this.#lookAgain = false
        const worker = this.#ports.worker()
        const free = Math.min(this.#concurrency - this.#taken, TAKE_AT_ONCE)
        if (!this.#started || worker === null || free <= 0) break
        this.#taken += free
        this.#mayBeMore = false
        let runs: TakenRun[] = []
        try {
          runs = await this.#ports.dispatch.take(worker, free, this.#memory.room)
        } finally {
          this.#taken -= free - runs.length
        }
        for (const run of runs) this.#begin(run)
        this.#size = Math.max(0, this.#size - runs.length)
        if (runs.length === free) this.#mayBeMore = this.#lookAgain = true
      } while (this.#lookAgain)
    } catch (error) {
      this.#mayBeMore = true
      this.#ports.failed(error)
    } finally {
      this.#looking = false
    }
  }

  #begin(run: TakenRun): void {
    this.#memory.begun(run.id, run.bytes)
    void this.#carry(this.#ports.carry(run), run.id, run.placed ? run.flowId : null, run.bytes)
  }

  /** `line`: the flow in whose line others may wait for this one's place. */
  async #carry(carrying: Promise<Advanced>, runId: string, line: string | null, bytes = 0): Promise<void> {
    let advanced: Advanced
    this.#count(runId, 1)
    try {
      advanced = await carrying
    } catch (error) {
      this.#ports.failed(error)
      // This process goes on holding it: a run must not be stranded by, say, a read that failed.
      this.#after(TRY_AGAIN_MS, () => {
        this.#count(runId, -1)
        void this.#carry(this.#ports.advance(runId), runId, line, bytes)
      })
      return
    }
    this.#taken--
    this.#memory.ended(runId)
    this.#count(runId, -1)
    // One that there was no room for may begin.
    if (bytes > SMALL_RUN) this.#mayBeMore = true
    if (advanced.state === 'parked') this.#after(advanced.resumeAt - this.#ports.now(), () => this.look())
    else if (line !== null) void this.#admit(line)
    // A place is free.
    if (this.#mayBeMore) this.look()
  }

  #count(runId: string, by: 1 | -1): void {
    const count = (this.#carried.get(runId) ?? 0) + by
    if (count === 0) this.#carried.delete(runId)
    else this.#carried.set(runId, count)
  }

  /** One at a time: several would wait for the same lock, each on a connection that others need. */
  async #admit(flowId: string): Promise<void> {
    const isUnderWay = this.#admitting.has(flowId)
    this.#admitting.set(flowId, isUnderWay)
    if (isUnderWay) return
    try {
      do {
        this.#admitting.set(flowId, false)
        if (await this.#ports.dispatch.admit(flowId)) this.#call()
      } while (this.#admitting.get(flowId))
    } catch (error) {
      // It is tried again every few seconds.
      this.#ports.failed(error)
    } finally {
      this.#admitting.delete(flowId)
    }
  }

  async #admitLines(): Promise<void> {
    const lines = await this.#ports.dispatch.lines()
    const [first] = lines.map(({ firstRunId }) => firstRunId).toSorted()
    this.#inLineSince = first === undefined ? null : timeOfId(first)
    for (const { flowId } of lines) await this.#admit(flowId)
  }

  #call(): void {
    this.#ports.call()
    this.look()
  }

  async #lookRegularly(): Promise<void> {
    this.look()
    const { dispatch } = this.#ports
    this.#size = await dispatch.waiting(this.#most)
    const dueIn = await dispatch.nextDueIn()
    this.#readySince = dueIn !== null && dueIn <= 0 ? this.#ports.now() + dueIn : null
    if (dueIn !== null && dueIn > 0 && dueIn < LOOK_EVERY_MS) this.#after(dueIn, () => this.look())
  }

  #every(ms: number, work: () => Promise<void>): void {
    this.#after(ms, () => {
      work()
        .catch((error) => this.#ports.failed(error))
        .finally(() => this.#every(ms, work))
    })
  }

  #after(ms: number, work: () => void): void {
    if (!this.#started) return
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        if (this.#started) work()
      },
      Math.min(Math.max(0, ms), LOOK_EVERY_MS),
    )
    this.#timers.add(timer)
  }
}
