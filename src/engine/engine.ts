// The runs that this process carries at the moment.
import type { StepErrorCode } from '../base/error-catalogue.ts'
import type { CompiledFlow } from '../flow/compile.ts'
import { defaultErrorReply } from './caller-reply.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { Advanced, Claim, ClaimedRun, NewRun, RunProgress } from './ports/run-journal.ts'
import { RunWalk } from './run-walk.ts'
import type { StepKind } from './step-kind.ts'

/** The flow is there but cannot run, for example because a secret of it cannot be read: its runs fail. */
export class FlowUnusable extends Error {
  readonly code: StepErrorCode
  constructor(code: StepErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface FlowSource {
  /** The flow as this run has to see it; rejects where it is gone, with FlowUnusable where it cannot run. */
  forRun(
    run: Pick<ClaimedRun, 'flowId' | 'version' | 'document'>,
  ): CompiledFlow<StepKind> | Promise<CompiledFlow<StepKind>>
}

/** A step that takes longer is shown as running. */
const NOTE_RUNNING_AFTER_MS = 100

export class Engine {
  readonly #ports: EnginePorts
  readonly #flows: FlowSource
  /** A list, not a map: a map of what comes and goes so fast makes the collector keep it long after. */
  readonly #walks: RunWalk[] = []
  readonly #notes: NodeJS.Timeout
  #stopping = false

  constructor(ports: EnginePorts, flows: FlowSource) {
    this.#ports = ports
    this.#flows = flows
    this.#notes = setInterval(() => this.#noteRunning(), NOTE_RUNNING_AFTER_MS)
    this.#notes.unref()
  }

  get active(): number {
    return this.#walks.length
  }

  /** Since when the longest of them has been carried. */
  get activeSince(): number {
    return Math.min(...this.#walks.map(({ since }) => since))
  }

  async advance(runId: string, fresh: NewRun | null): Promise<Advanced> {
    if (this.#stopping) return { state: 'interrupted' }
    this.#ports.begins('reading a run', runId)
    const run = await this.#ports.journal.claim(runId, this.#ports.now(), fresh)
    return run ? this.carry(run) : { state: 'lost' }
  }

  /** Carries a run that this process has claimed. */
  async carry(run: ClaimedRun): Promise<Advanced> {
    if (this.#stopping) return { state: 'interrupted' }
    let flow: CompiledFlow<StepKind>
    try {
      const source = this.#flows.forRun(run)
      flow = source instanceof Promise ? await source : source
    } catch (error) {
      if (error instanceof FlowUnusable) return this.#fail(run, error)
      throw error
    }
    const walk = new RunWalk(run, flow, this.#ports)
    this.#walks.push(walk)
    let advanced: Advanced | null = null
    try {
      advanced = await walk.advance()
      return advanced
    } finally {
      this.#walks.splice(this.#walks.indexOf(walk), 1)
      walk.trace?.ended(advanced?.state ?? null)
    }
  }

  async #fail(run: ClaimedRun, { code, message }: FlowUnusable): Promise<Advanced> {
    const progress: RunProgress = {
      status: 'failed',
      startedAt: run.startedAt,
      finishedAt: this.#ports.now(),
      resumeAt: null,
      error: { code, message },
      entries: [],
    }
    if (!(await this.#ports.journal.record(run.claim, progress))) return { state: 'lost' }
    this.#ports.progressed(run, progress)
    this.#ports.reply(run, defaultErrorReply(run.id, message))
    return { state: 'finished' }
  }

  cancel(runId: string): void {
    this.#walks.find((walk) => walk.run.id === runId)?.cancel()
  }

  cancelAllOf(flowId: string): void {
    for (const walk of this.#walks) if (walk.run.flowId === flowId) walk.cancel()
  }

  /** What this process holds of the runs it carries. */
  get claims(): Claim[] {
    return this.#walks.map((walk) => walk.run.claim)
  }

  /** Others have these runs now. */
  lose(claims: readonly Claim[]): void {
    const lost = new Set(claims)
    for (const walk of this.#walks) if (lost.has(walk.run.claim)) walk.cancel()
  }

  /** Takes up nothing more and lets what is under way finish until `graceMs` have passed; the rest is left to the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    clearInterval(this.#notes)
    const deadline = performance.now() + graceMs
    while (this.#walks.length && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
    for (const walk of this.#walks) walk.interrupt()
    const cutOff = performance.now() + 1000
    while (this.#walks.length && performance.now() < cutOff) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  #noteRunning(): void {
    const before = this.#ports.now() - NOTE_RUNNING_AFTER_MS
    for (const walk of this.#walks) walk.noteRunning(before).catch(() => {})
  }
}
