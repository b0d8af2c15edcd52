// Holds the runs that this process carries at the moment.
import { CODE, type StepErrorCode } from '../base/error-catalogue.ts'
import type { CompiledStep } from '../flow/compile.ts'
import type { CompiledFlow } from '../flow/compile-flow.ts'
import { CALL } from '../flow/triggers/call/schema.ts'
import { compileTrigger } from '../flow/triggers/compile-trigger.ts'
import { defaultErrorReply } from './caller-reply.ts'
import { handlerOf, handlerRoots, handlingFlow } from './ending/failure-handler.ts'
import { erasesData } from './ending/run-end.ts'
import { noteRunning } from './perform-in-run.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import { newlyClaimed } from './ports/newly-claimed.ts'
import {
  type Advanced,
  type Claim,
  type ClaimedRun,
  isHandler,
  type NewRun,
  type RunProgress,
} from './ports/run-journal.ts'
import { memoryOf } from './run-requests.ts'
import { RunWalk } from './run-walk.ts'
import type { StepKind } from './step-kind.ts'

/** Says that the flow exists but cannot run, for example because one of its secrets cannot be read. Its runs fail. */
export class FlowUnusable extends Error {
  readonly code: StepErrorCode
  constructor(code: StepErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface FlowVersions {
  /** Returns the flow version of this run. Rejects if the flow is gone, with FlowUnusable if it cannot run. */
  forRun(
    run: Pick<ClaimedRun, 'flowId' | 'version' | 'document'>,
  ): CompiledFlow<StepKind> | Promise<CompiledFlow<StepKind>>
  /** Returns the step that calls a flow for a failed run. */
  failureCall(flowId: string): readonly CompiledStep<StepKind>[]
}

/** A run that is being read, and what was cancelled meanwhile. */
interface Opening {
  readonly runId: string
  isCancelled: boolean
  readonly flows: Set<string>
}

/** Stands for a flow that cannot run, where another flow is told of it. */
const NAMELESS: CompiledFlow<StepKind> = {
  name: '',
  slug: null,
  trigger: compileTrigger({ kind: CALL }),
  steps: [],
  onFailure: null,
  callbacks: null,
  keptData: 'always',
}

const GIVEN_UP =
  'Millrace could not carry this run on, and gave it up after several attempts. The log has the details; replay the run when the cause is gone.'

/** A step that takes longer than this is shown as running. */
const NOTE_RUNNING_AFTER_MS = 100

export class Engine {
  readonly #ports: EnginePorts
  readonly #flows: FlowVersions
  /** A list, not a map: the garbage collector keeps a map with such fast turnover in memory for too long. */
  readonly #walks: RunWalk[] = []
  /** The runs that are being read, which may take several turns of the event loop. */
  readonly #opening = new Set<Opening>()
  readonly #notes: NodeJS.Timeout
  #stopping = false

  constructor(ports: EnginePorts, flows: FlowVersions) {
    this.#ports = ports
    this.#flows = flows
    this.#notes = setInterval(() => this.#noteRunning(), NOTE_RUNNING_AFTER_MS)
    this.#notes.unref()
  }

  get active(): number {
    return this.#walks.length
  }

  /** Returns the time at which this process took up the oldest run that it still carries. */
  get activeSince(): number {
    return Math.min(...this.#walks.map(({ since }) => since))
  }

  /** `claim`: set if this process holds the run already, which is `fresh` then. */
  async advance(runId: string, fresh: NewRun | null, claim: Claim | null = null): Promise<Advanced> {
    if (this.#stopping) return { state: 'interrupted' }
    if (claim) return this.#carry(newlyClaimed(fresh!, claim, this.#ports.now()), null)
    this.#ports.begins('reading a run', runId)
    return this.#whileOpening(runId, async (opening) => {
      const run = await this.#ports.journal.claim(runId, this.#ports.now(), fresh)
      return run ? this.#carry(run, opening) : { state: 'lost' }
    })
  }

  /** Carries a run that this process has claimed. */
  carry(run: ClaimedRun): Promise<Advanced> {
    return this.#whileOpening(run.id, (opening) => this.#carry(run, opening))
  }

  async #whileOpening(runId: string, work: (opening: Opening) => Promise<Advanced>): Promise<Advanced> {
    const opening: Opening = { runId, isCancelled: false, flows: new Set() }
    this.#opening.add(opening)
    try {
      return await work(opening)
    } finally {
      this.#opening.delete(opening)
    }
  }

  async #carry(run: ClaimedRun, opening: Opening | null): Promise<Advanced> {
    if (this.#stopping) return { state: 'interrupted' }
    if (run.unreadable) throw run.unreadable
    const weighed = this.#ports.replyRoom?.opened(run.id, () => memoryOf(run))
    if (weighed) await weighed
    let flow: CompiledFlow<StepKind>
    try {
      const source = this.#flows.forRun(run)
      flow = source instanceof Promise ? await source : source
    } catch (error) {
      if (!(error instanceof FlowUnusable)) throw error
      if (run.trigger.flow === undefined) return this.#fail(run, error)
      flow = NAMELESS
    }
    if (opening?.isCancelled || opening?.flows.has(run.flowId)) return { state: 'lost' }
    if (this.#stopping) return { state: 'interrupted' }
    return isHandler(run) ? this.#handle(run, flow) : this.#walk(new RunWalk(run, flow, this.#ports))
  }

  /** Carries the failure handler of a run. */
  async #handle(run: ClaimedRun, flow: CompiledFlow<StepKind>): Promise<Advanced> {
    const failed = await this.#ports.journal.ended(run.parent!.run)
    if (!failed) return { state: 'lost' }
    const steps = run.trigger.flow === undefined ? flow.onFailure! : this.#flows.failureCall(run.trigger.flow)
    const roots = handlerRoots(run, failed, flow, this.#ports)
    return this.#walk(new RunWalk(run, handlingFlow(flow, steps), this.#ports, roots))
  }

  async #walk(walk: RunWalk): Promise<Advanced> {
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

  /** Ends a run that Millrace cannot carry on. */
  async giveUp(runId: string): Promise<Advanced> {
    const run = await this.#ports.journal.claimUnread(runId, this.#ports.now())
    if (!run) return { state: 'lost' }
    return this.#fail(run, { code: CODE.internal_error, message: GIVEN_UP }, await this.#flowOf(run))
  }

  async #flowOf(run: ClaimedRun): Promise<CompiledFlow<StepKind> | null> {
    try {
      return await this.#flows.forRun(run)
    } catch {
      return null
    }
  }

  /** `flow`: null if it cannot be known. */
  async #fail(
    run: ClaimedRun,
    { code, message }: Pick<FlowUnusable, 'code' | 'message'>,
    flow: CompiledFlow<StepKind> | null = null,
  ): Promise<Advanced> {
    const handler = handlerOf(run, null, { code, message }, this.#ports)
    const progress: RunProgress = {
      status: 'failed',
      startedAt: run.startedAt,
      finishedAt: this.#ports.now(),
      resumeAt: null,
      error: { code, message },
      entries: [],
      ...(handler && { handler }),
      alerting: this.#ports.alerting(run, 'failed'),
      ...(run.trigger.forFailure && { forFailure: true }),
      erase: flow !== null && erasesData(run, flow, 'failed'),
    }
    if (!(await this.#ports.journal.record(run.claim, progress))) return { state: 'lost' }
    this.#ports.progressed(run, progress)
    this.#ports.reply(run, defaultErrorReply(run.id, message))
    return { state: 'finished' }
  }

  cancel(runId: string): void {
    for (const opening of this.#opening) if (opening.runId === runId) opening.isCancelled = true
    this.#walks.find((walk) => walk.run.id === runId)?.cancel()
  }

  cancelAllOf(flowId: string): void {
    for (const { flows } of this.#opening) flows.add(flowId)
    for (const walk of this.#walks) if (walk.run.flowId === flowId) walk.cancel()
  }

  /** Returns the claims on the runs that this process carries. */
  get claims(): Claim[] {
    return this.#walks.map((walk) => walk.run.claim)
  }

  /** Ends the work on runs that other processes have claimed. */
  lose(claims: readonly Claim[]): void {
    const lost = new Set(claims)
    for (const walk of this.#walks) if (lost.has(walk.run.claim)) walk.cancel()
  }

  /** Takes up no more runs and gives active ones `graceMs` to finish. The next start resumes the rest. */
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
    for (const walk of this.#walks) noteRunning(walk, before).catch(() => {})
  }
}
