// The runs that this process carries at the moment.
import type { CompiledFlow } from '../flow/compile.ts'
import { type EnginePorts, RunWalk } from './advance-run.ts'
import type { Advanced, ClaimedRun } from './run-store.ts'
import { ShortLived } from './short-lived.ts'
import type { StepKind } from './step-kind.ts'

export interface FlowSource {
  /** The flow as this run has to see it; rejects where it is gone. */
  forRun(
    run: Pick<ClaimedRun, 'flowId' | 'version' | 'document'>,
  ): CompiledFlow<StepKind> | Promise<CompiledFlow<StepKind>>
}

/** A step that takes longer is shown as running. */
const NOTE_RUNNING_AFTER_MS = 100

export class Engine {
  readonly #ports: EnginePorts
  readonly #flows: FlowSource
  readonly #walks = new ShortLived<RunWalk>()
  readonly #notes: NodeJS.Timeout
  #stopping = false

  constructor(ports: EnginePorts, flows: FlowSource) {
    this.#ports = ports
    this.#flows = flows
    this.#notes = setInterval(() => this.#noteRunning(), NOTE_RUNNING_AFTER_MS)
    this.#notes.unref()
  }

  get active(): number {
    return this.#walks.size
  }

  async advance(runId: string): Promise<Advanced> {
    if (this.#stopping) return { state: 'interrupted' }
    const run = await this.#ports.journal.claim(runId, this.#ports.now())
    if (!run) return { state: 'lost' }
    const source = this.#flows.forRun(run)
    const walk = new RunWalk(run, source instanceof Promise ? await source : source, this.#ports)
    this.#walks.set(runId, walk)
    try {
      return await walk.advance()
    } finally {
      this.#walks.take(runId)
    }
  }

  cancel(runId: string): void {
    this.#walks.get(runId)?.cancel()
  }

  cancelAllOf(flowId: string): void {
    for (const walk of this.#walks.values()) if (walk.run.flowId === flowId) walk.cancel()
  }

  /** Takes up nothing more and lets what is under way finish until `graceMs` have passed; the rest is left to the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    clearInterval(this.#notes)
    const deadline = performance.now() + graceMs
    while (this.#walks.size && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
    for (const walk of this.#walks.values()) walk.interrupt()
    const cutOff = performance.now() + 1000
    while (this.#walks.size && performance.now() < cutOff) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  #noteRunning(): void {
    const before = this.#ports.now() - NOTE_RUNNING_AFTER_MS
    for (const walk of this.#walks.values()) walk.noteRunning(before).catch(() => {})
  }
}
