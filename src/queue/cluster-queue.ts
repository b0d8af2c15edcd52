// Decides which run starts when, among several processes: each takes as many runs from the database as it has places.
import { timeOfId } from '../engine/ids.ts'
import { newlyClaimed } from '../engine/ports/newly-claimed.ts'
import type { Advanced, ClaimedRun } from '../engine/ports/run-journal.ts'
import type { DispatchStore, Queue, QueuedRun, TakenRun } from '../operations/ports/queue.ts'
import type { RunMemory } from './run-memory.ts'
import { Timers } from './timers.ts'

export interface ClusterQueuePorts {
  dispatch: DispatchStore
  /** Returns the name under which this process holds runs; null while it may hold none. */
  worker(): string | null
  carry(run: ClaimedRun): Promise<Advanced>
  /** Continues a run that this process holds, from the state in the journal. */
  advance(runId: string): Promise<Advanced>
  /** Wakes the processes that may have a place for a run. */
  call(): void
  now(): number
  failed(error: unknown): void
  /** Is told that a run could not be carried on. Returns the milliseconds until it is tried again. */
  troubled(runId: string, error: unknown): number
}

/** Polling finds the runs whose wake-up signal was lost. */
const LOOK_EVERY_MS = 1_000
const LINES_EVERY_MS = 5_000
const TAKE_AT_ONCE = 64

export class ClusterQueue implements Queue {
  readonly #ports: ClusterQueuePorts
  readonly #concurrency: number
  readonly #most: number
  readonly #mostHeld: number
  readonly #memory: RunMemory
  /** The number of active runs, plus the places reserved for runs that are being stored. */
  #taken = 0
  #started = false
  #looking = false
  #lookAgain = false
  /** Whether there may be runs to take that this process has not looked for yet. */
  #mayBeMore = false
  #size = 0
  /** The number of runs of paused flows as of a second ago, plus those that this process has added since. */
  held = 0
  #readySince: number | null = null
  #inLineSince: number | null = null
  /** Counts the times that this process has each run in hand: two if it lost a run and took it again before it let go. */
  readonly #carried = new Map<string, number>()
  /** The flows whose line is being checked; true if the line must be checked once more. */
  readonly #admitting = new Map<string, boolean>()
  readonly #timers: Timers

  /** Creates a queue that counts at most `most` waiting runs, and `mostHeld` of paused flows. With `concurrency` 0 this process runs none. */
  constructor(concurrency: number, most: number, mostHeld: number, memory: RunMemory, ports: ClusterQueuePorts) {
    this.#concurrency = concurrency
    this.#memory = memory
    this.#most = most
    this.#mostHeld = mostHeld
    this.#ports = ports
    this.#timers = new Timers(LOOK_EVERY_MS, ports.failed)
    memory.onRoom = () => this.look()
  }

  /** Returns the number of waiting runs as of a second ago, plus those that this process has added since. */
  get size(): number {
    return this.#size
  }

  /** Returns when the longest-waiting run joined the line, as of a few seconds ago. */
  get oldestSince(): number | null {
    const times = [this.#readySince, this.#inLineSince].filter((time) => time !== null)
    return times.length ? Math.min(...times) : null
  }

  /** Returns false always: this process does not know how fast the others are. */
  isSlow = (): boolean => false

  /** Returns the holder of a run that can start here; null if there is no place or other runs have waited longer. */
  reserve(): string | null {
    if (!this.#started || this.#size > 0 || this.#taken >= this.#concurrency) return null
    const worker = this.#ports.worker()
    if (worker !== null) this.#taken++
    return worker
  }

  giveBack = (): void => void this.#taken--

  carries = (runId: string): boolean => this.#carried.has(runId)

  add(run: QueuedRun): boolean {
    if (run.held) {
      this.held++
      return true
    }
    if (run.claim) {
      void this.#carry(this.#ports.carry(newlyClaimed(run.fresh!, run.claim, this.#ports.now())), run.id, null)
      return false
    }
    this.#size++
    if (run.concurrency === null) this.wake()
    else void this.#admit(run.flowId)
    return false
  }

  heldOf = (flowId: string): Promise<number> => this.#ports.dispatch.held(this.#mostHeld, flowId)
  heldAmong = (_: string, runIds: readonly string[]): Promise<string[]> => this.#ports.dispatch.heldAmong(runIds)
  pause = (flowId: string): Promise<void> => this.#ports.dispatch.pause(flowId)
  async resume(flowId: string): Promise<void> {
    await this.#ports.dispatch.resume(flowId)
    this.held = await this.#ports.dispatch.held(this.#mostHeld)
    await this.#admit(flowId)
  }

  forget(...runs: readonly { id: string; flowId: string }[]): void {
    for (const flowId of new Set(runs.map((run) => run.flowId))) void this.#admit(flowId)
  }

  /** Does nothing: the runs are finished in the database, so no process takes them any more. */
  forgetAllOf(): void {}

  start(): void {
    this.#started = true
    this.#timers.start()
    this.#timers.every(LOOK_EVERY_MS, () => this.#lookRegularly())
    this.#timers.every(LINES_EVERY_MS, () => this.#admitLines())
    this.look()
  }

  stop(): void {
    this.#started = false
    this.#timers.stop()
  }

  /** Looks for runs that this process can take. */
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
    void this.#carry(this.#ports.carry(run), run.id, run.placed ? run.flowId : null)
  }

  /** Carries a run to its end or its next wait. `line` is the flow whose waiting runs may get this run's place. */
  async #carry(carrying: Promise<Advanced>, runId: string, line: string | null): Promise<void> {
    let advanced: Advanced
    this.#count(runId, 1)
    try {
      advanced = await carrying
    } catch (error) {
      // This process keeps the run and tries again, so that a failed read, for example, does not strand it; others get its place.
      this.#taken--
      this.#timers.later(this.#ports.troubled(runId, error), () => {
        this.#taken++
        this.#count(runId, -1)
        void this.#carry(this.#ports.advance(runId), runId, line)
      })
      return
    }
    this.#taken--
    this.#memory.ended(runId)
    this.#count(runId, -1)
    const dueAt = advanced.state === 'parked' ? advanced.resumeAt : null
    if (dueAt !== null) this.#timers.after(dueAt - this.#ports.now(), () => this.look())
    if (line !== null && (advanced.state !== 'parked' || advanced.placeGiven)) void this.#admit(line)
    if (this.#mayBeMore) this.look()
  }

  #count(runId: string, by: 1 | -1): void {
    const count = (this.#carried.get(runId) ?? 0) + by
    if (count === 0) this.#carried.delete(runId)
    else this.#carried.set(runId, count)
  }

  /** Admits runs of a flow, one call at a time: parallel calls would block database sessions that others need. */
  async #admit(flowId: string): Promise<void> {
    const isUnderWay = this.#admitting.has(flowId)
    this.#admitting.set(flowId, isUnderWay)
    if (isUnderWay) return
    try {
      do {
        this.#admitting.set(flowId, false)
        if (await this.#ports.dispatch.admit(flowId)) this.wake()
      } while (this.#admitting.get(flowId))
    } catch (error) {
      this.#ports.failed(error)
    } finally {
      this.#admitting.delete(flowId)
    }
  }

  async #admitLines(): Promise<void> {
    await this.#ports.dispatch.resumeStranded()
    const lines = await this.#ports.dispatch.lines()
    const [first] = lines.map(({ firstRunId }) => firstRunId).toSorted()
    this.#inLineSince = first === undefined ? null : timeOfId(first)
    for (const { flowId } of lines) await this.#admit(flowId)
  }

  answered(flowId: string): void {
    this.wake()
    void this.#admit(flowId)
  }

  wake(): void {
    this.#ports.call()
    this.look()
  }

  async #lookRegularly(): Promise<void> {
    this.look()
    for (const flowId of await this.#ports.dispatch.lineUp()) await this.#admit(flowId)
    this.#size = await this.#ports.dispatch.waiting(this.#most)
    this.held = await this.#ports.dispatch.held(this.#mostHeld)
    const dueIn = await this.#ports.dispatch.nextDueIn()
    this.#readySince = dueIn !== null && dueIn <= 0 ? this.#ports.now() + dueIn : null
    if (dueIn !== null && dueIn > 0 && dueIn < LOOK_EVERY_MS) this.#timers.after(dueIn, () => this.look())
  }
}
