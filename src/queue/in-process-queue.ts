// Decides which run starts when, in one process: in order of arrival, within the limits of the process, of each flow and of
// memory. Large runs that memory has no room for wait in a line of their own, so that they do not delay the others.
import { Fifo } from '../base/fifo.ts'
import { type Advanced, SMALL_RUN } from '../engine/ports/run-journal.ts'
import type { Queue, QueuedRun } from '../operations/ports/queue.ts'
import { AtOnce, type AtOncePorts } from './at-once.ts'
import { HeldRuns } from './held-runs.ts'
import type { LimitedFlow } from './limited-flow.ts'
import type { RunMemory } from './run-memory.ts'
import { RunTimes } from './run-times.ts'

export interface QueuePorts extends Pick<AtOncePorts, 'busy'> {
  advance(run: QueuedRun): Promise<Advanced>
  /** Returns the waiting runs that are due, and when the next one is. */
  due(): Promise<{ runs: QueuedRun[]; nextAt: number | null }>
  /** Returns the bytes that it takes to read a run. Not called for fresh runs, which are small. */
  bytesOf(runId: string): number
  now(): number
  failed(error: unknown): void
  /** Is told that a run could not be carried on. Returns the milliseconds until it is tried again. */
  troubled(runId: string, error: unknown): number
}

/** The wall clock may jump and the machine may sleep, so the timer checks the clock at least this often. */
const LONGEST_TIMER_MS = 60_000
const LOOK_AGAIN_MS = 250

export class InProcessQueue implements Queue {
  readonly #ports: QueuePorts
  readonly #memory: RunMemory
  readonly #ready = new Fifo<QueuedRun>()
  /** Runs whose turn has come but that memory has no room for. */
  readonly #large = new Fifo<{ run: QueuedRun; bytes: number }>()
  readonly #limited = new Map<string, LimitedFlow>()
  readonly #held = new HeldRuns()
  /** Resumed runs that are in line or under way, so that they are not taken up twice. */
  readonly #resumed = new Set<string>()
  #inLine = 0
  readonly #times = new RunTimes()
  readonly #atOnce: AtOnce
  #started = false
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY

  constructor(concurrency: number, memory: RunMemory, ports: QueuePorts) {
    this.#memory = memory
    this.#ports = ports
    this.#atOnce = new AtOnce(concurrency, { busy: ports.busy, more: () => this.#pump() })
    memory.onRoom = () => this.#pump()
  }

  get size(): number {
    return this.#ready.size + this.#large.size + this.#inLine
  }

  get oldestSince(): number | null {
    // A large run was in line before any run that is ready now.
    let oldest = (this.#large.peek()?.run ?? this.#ready.peek())?.since ?? null
    for (const { line } of this.#limited.values()) {
      const first = line.peek()
      if (first && (oldest === null || first.since < oldest)) oldest = first.since
    }
    return oldest
  }

  isSlow = (joining: number): boolean => this.#times.isSlow(this.#ready.size + joining)

  add(run: QueuedRun): boolean {
    if (this.#held.push(run)) return true
    const flow = this.#limitedFlow(run)
    if (flow && !flow.holders.has(run.id)) {
      flow.line.push(run)
      this.#inLine++
      this.#admit(flow)
      return false
    }
    this.#ready.push(run)
    this.#pump()
    return false
  }

  get held(): number {
    return this.#held.size
  }
  heldOf = async (flowId: string): Promise<number> => this.#held.of(flowId)
  heldAmong = async (flowId: string, runIds: readonly string[]): Promise<string[]> => this.#held.among(flowId, runIds)

  async pause(flowId: string): Promise<void> {
    const isHeld = (run: QueuedRun) => run.flowId === flowId && !run.exempt
    const flow = this.#limited.get(flowId)
    const inLine = flow?.line.remove(isHeld) ?? []
    this.#inLine -= inLine.length
    const ready = [...this.#ready.remove(isHeld), ...this.#large.remove(({ run }) => isHeld(run)).map(({ run }) => run)]
    for (const { id } of ready) flow?.holders.delete(id)
    this.#held.open(flowId, [...ready, ...inLine])
  }

  async resume(flowId: string): Promise<void> {
    const since = this.#ports.now()
    for (const run of this.#held.release(flowId)) this.add({ ...run, since })
  }

  /** Keeps the flow's place for a run that waits, also across a restart. */
  hold(run: QueuedRun): void {
    this.#limitedFlow(run)?.holders.add(run.id)
  }

  /** Takes up waiting runs at `time` or earlier. */
  wakeAt(time: number): void {
    if (!this.#started || time >= this.#timerAt) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timerAt = time
    const delay = Math.min(Math.max(0, time - this.#ports.now()), LONGEST_TIMER_MS)
    this.#timer = setTimeout(() => void this.#wake(), delay)
  }

  wake = (): void => this.wakeAt(this.#ports.now())
  answered = (): void => this.wake()

  forget(...runs: readonly { id: string; flowId: string }[]): void {
    const ids = new Set(runs.map(({ id }) => id))
    for (const id of ids) this.#resumed.delete(id)
    this.#ready.remove((run) => ids.has(run.id))
    this.#large.remove(({ run }) => ids.has(run.id))
    for (const [flowId, some] of Map.groupBy(runs, (run) => run.flowId)) {
      const flow = this.#limited.get(flowId)
      this.#held.forget(flowId, ids)
      this.#inLine -= flow?.line.remove((run) => ids.has(run.id)).length ?? 0
      for (const run of some) this.#release(run)
      if (flow) this.#admit(flow)
    }
  }

  forgetAllOf(flowId: string): void {
    for (const { id } of this.#ready.remove((run) => run.flowId === flowId)) this.#resumed.delete(id)
    for (const { run } of this.#large.remove(({ run }) => run.flowId === flowId)) this.#resumed.delete(run.id)
    this.#held.release(flowId)
    const line = this.#limited.get(flowId)?.line.remove(() => true) ?? []
    for (const { id } of line) this.#resumed.delete(id)
    this.#inLine -= line.length
    this.#limited.delete(flowId)
  }

  start(): void {
    this.#started = true
    this.wake()
    this.#pump()
  }

  stop(): void {
    this.#started = false
    this.#atOnce.stop()
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #limitedFlow(run: QueuedRun): LimitedFlow | null {
    let flow = this.#limited.get(run.flowId)
    if (!flow && run.concurrency !== null) {
      flow = { holders: new Set(), line: new Fifo() }
      this.#limited.set(run.flowId, flow)
    }
    return run.concurrency === null ? null : flow!
  }

  #pump(): void {
    while (this.#started && this.#atOnce.hasPlace(this.#ready.peek()?.awaited ?? false)) {
      const next = this.#next()
      if (!next) return
      this.#atOnce.begun()
      this.#memory.begun(next.run.id, next.bytes)
      void this.#advance(next.run)
    }
  }

  #next(): { run: QueuedRun; bytes: number } | undefined {
    const large = this.#large.peek()
    if (large && this.#memory.fits(large.bytes)) return this.#large.shift()
    for (let run = this.#ready.shift(); run; run = this.#ready.shift()) {
      const next = { run, bytes: run.fresh ? 0 : this.#ports.bytesOf(run.id) }
      if (next.bytes <= SMALL_RUN || (this.#large.size === 0 && this.#memory.fits(next.bytes))) return next
      this.#large.push(next)
    }
    return undefined
  }

  async #advance(run: QueuedRun): Promise<void> {
    let advanced: Advanced = { state: 'interrupted' }
    const begunAt = this.#ports.now()
    const atOnce = this.#atOnce.limit
    try {
      advanced = await this.#ports.advance(run)
      this.#times.took(this.#ports.now() - begunAt, atOnce, this.#ready.size > 0)
    } catch (error) {
      this.#atOnce.ended()
      this.#memory.ended(run.id)
      // The run keeps its place and is tried again, so that a failed read, for example, does not strand it.
      const againMs = this.#ports.troubled(run.id, error)
      setTimeout(() => {
        this.#ready.push({ ...run, fresh: null, claim: null, exempt: true })
        this.#pump()
      }, againMs).unref()
      this.#pump()
      return
    }
    this.#atOnce.ended()
    this.#memory.ended(run.id)
    if (this.#resumed.size) this.#resumed.delete(run.id)
    if (advanced.state !== 'parked' || advanced.placeGiven) this.#release(run)
    if (advanced.state === 'parked' && advanced.resumeAt !== null) this.wakeAt(advanced.resumeAt)
    this.#pump()
  }

  #release({ id, flowId }: { id: string; flowId: string }): void {
    const flow = this.#limited.get(flowId)
    if (!flow?.holders.delete(id)) return
    this.#admit(flow)
    if (flow.holders.size === 0) this.#limited.delete(flowId)
  }

  /** Admits runs as the version of the first in line allows: versions of a flow may have different limits. */
  #admit(flow: LimitedFlow): void {
    for (let first = flow.line.peek(); first && flow.holders.size < first.concurrency!; first = flow.line.peek()) {
      flow.line.shift()
      this.#inLine--
      flow.holders.add(first.id)
      this.#ready.push(first)
    }
    this.#pump()
  }

  async #wake(): Promise<void> {
    this.#timer = null
    this.#timerAt = Number.POSITIVE_INFINITY
    try {
      const { runs, nextAt } = await this.#ports.due()
      const untaken = runs.filter((run) => !this.#resumed.has(run.id))
      for (const run of untaken) {
        this.#resumed.add(run.id)
        this.add(run)
      }
      // All runs of the page are in line already: look again when some have moved on.
      if (runs.length && !untaken.length) this.wakeAt(this.#ports.now() + LOOK_AGAIN_MS)
      else if (nextAt !== null) this.wakeAt(nextAt)
    } catch (error) {
      this.#ports.failed(error)
      this.wakeAt(this.#ports.now() + 1000)
    }
  }
}
