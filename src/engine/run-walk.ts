// Carries one claimed run as far as possible: takes finished steps from the journal, runs the rest, records each outcome.
import { type CompiledStep, SECRET_MASK } from '../flow/compile.ts'
import type { CompiledFlow } from '../flow/compile-flow.ts'
import { runEnding } from './ending/run-end.ts'
import { type ClosingOutcome, closeEntry, exposeOutput, keepReply, newEntry } from './journal-entries.ts'
import { JournalWriter } from './journal-writer.ts'
import { restoreNested } from './nested/walk-rounds.ts'
import { performInRun, type RunningStep, type StepWalk } from './perform-in-run.ts'
import { failureOf, NestedFailure } from './perform-step.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { Advanced, ClaimedRun, JournalEntry, RunError } from './ports/run-journal.ts'
import type { RunTrace } from './ports/tracing.ts'
import { park, parkForRetry } from './retry.ts'
import { type Roots, rootsOf, setVars } from './run-bindings.ts'
import type { Outcome, StepKind } from './step-kind.ts'
import { WaitingCaller } from './waiting-caller.ts'
import { RunWaits } from './waits/run-waits.ts'
import { ClaimLost, Interrupted, Parked, Stopped } from './walk-signals.ts'

/** The most outcomes that wait for a write: a loop of steps that never reach out must not gather them without end. */
const MAX_UNWRITTEN = 200

type Step = CompiledStep<StepKind>
type Awaiting = Outcome & { type: 'callback' }

export class RunWalk implements StepWalk {
  readonly run: ClaimedRun
  readonly trace: RunTrace | null
  /** The time at which this process took up the run. */
  readonly since: number
  readonly #flow: CompiledFlow<StepKind>
  readonly ports: EnginePorts
  readonly writer: JournalWriter
  /** Journal entries by path: those of earlier claims, and those that this claim made inside rounds. */
  readonly recorded: Map<string, JournalEntry>
  readonly #caller: WaitingCaller
  readonly waits: RunWaits
  readonly #roots: Roots
  #abort: AbortController | null = null
  #cancelled = false
  #seq: number
  #stopping = false
  /** The steps that are running now; those that take long are shown in the run's history. */
  readonly running: RunningStep[] = []

  constructor(run: ClaimedRun, flow: CompiledFlow<StepKind>, ports: EnginePorts, roots?: Roots) {
    this.run = run
    this.trace = ports.tracing?.run(run, flow.name) ?? null
    this.since = ports.now()
    this.#flow = flow
    this.ports = ports
    this.recorded = new Map(run.journal.map((entry) => [entry.path, entry]))
    this.#seq = run.lastSeq
    this.#caller = new WaitingCaller(run, ports)
    this.waits = new RunWaits(run, flow.callbacks, ports)
    this.writer = new JournalWriter(run, ports, () => this.#stopping)
    this.#roots = roots ?? rootsOf(run, flow.name, ports)
  }

  async advance(): Promise<Advanced> {
    try {
      return await this.#walk()
    } catch (signal) {
      if (signal instanceof ClaimLost) return { state: 'lost' }
      if (signal instanceof Interrupted) {
        // Outcomes that have arrived are kept, so that their requests are not sent again.
        await this.writer.flush().catch(() => {})
        return { state: 'interrupted' }
      }
      throw signal
    }
  }

  async #walk(): Promise<Advanced> {
    try {
      await this.walkSteps(this.#flow.steps, '', this.#roots)
      return await this.#finish('succeeded', null)
    } catch (signal) {
      if (signal instanceof Stopped) return this.#finish('succeeded', null)
      if (signal instanceof NestedFailure) return this.#finish('failed', signal.outcome.error)
      if (!(signal instanceof Parked)) throw signal
      const awaits = this.waits.awaits(this.writer, this.ports.now())
      await this.writer.write('waiting', { resumeAt: signal.resumeAt, awaits })
      this.#caller.sendOwed()
      const resumeAt = awaits?.now ?? signal.resumeAt
      return { state: 'parked', resumeAt, ...(awaits?.callbacks.length && { placeGiven: true }) }
    }
  }

  /** Returns a signal that aborts when the run is cancelled or the process stops. */
  signal(): AbortSignal {
    this.#abort ??= new AbortController()
    return this.#abort.signal
  }

  /** Ends all work on the run, whose claim is lost, for example by a cancellation. */
  cancel(): void {
    this.#cancelled = true
    this.#abort?.abort()
  }

  /** Ends all work at once because the process stops. The journal holds the progress of the run. */
  interrupt(): void {
    this.#stopping = true
    this.#abort?.abort()
  }

  async walkSteps(steps: readonly Step[], prefix: string, roots: Roots): Promise<void> {
    for (const step of steps) {
      const doing = this.#step(step, prefix + step.id, roots)
      // Most steps are done when they return.
      if (doing) await doing
    }
  }

  #step(step: Step, path: string, roots: Roots): Promise<void> | undefined {
    const earlier = this.recorded.get(path)
    const isFull = this.writer.unwritten >= MAX_UNWRITTEN
    if (earlier || step.kind.reachesOut || step.callbacks.length || isFull || this.#caller.isOwedReply)
      return this.#stepInOrder(step, path, earlier, roots)
    this.#throwIfEnded()
    return this.#perform(step, path, undefined, roots)
  }

  /** Takes up a step that has begun before, or that needs something to be written or read first. */
  async #stepInOrder(step: Step, path: string, earlier: JournalEntry | undefined, roots: Roots): Promise<void> {
    const isAwaiting = earlier?.outcome === 'call' || earlier?.outcome === 'callback'
    if (earlier?.outcome && earlier.outcome !== 'wait' && !isAwaiting) {
      await restoreNested(this, earlier, roots)
      return this.#applyOutcome(step, earlier, roots)
    }
    if (this.#caller.isOwedReply) await this.#writeAndReply()
    this.#throwIfEnded()
    if (isAwaiting) return this.#settle(step, ...(await this.waits.resultOf(earlier!, roots)), roots)
    if (earlier?.resumeAt && earlier.resumeAt > this.ports.now()) throw new Parked(earlier.resumeAt)
    if (earlier?.outcome === 'wait') return this.#close(step, { ...earlier }, 'done', roots)
    if (step.callbacks.length) {
      await this.writer.started()
      await this.waits.callbacks.provide(step.callbacks, path, roots)
    }
    if (step.kind.reachesOut || this.writer.unwritten >= MAX_UNWRITTEN) await this.writer.flush()
    if (step.kind.reachesOut && this.ports.journal.holds) await this.writer.confirm()
    await this.#perform(step, path, earlier, roots)
  }

  #perform(step: Step, path: string, earlier: JournalEntry | undefined, roots: Roots): Promise<void> | undefined {
    const entry = this.newEntry(step, path, earlier)
    const outcome = performInRun(this, step, entry, earlier?.status === 'running', roots)
    if (outcome instanceof Promise) return outcome.then((late) => this.#settle(step, entry, late, roots))
    return this.#settle(step, entry, outcome, roots)
  }

  #settle(step: Step, entry: JournalEntry, outcome: Outcome, roots: Roots): Promise<void> | undefined {
    this.#throwIfEnded()
    parkForRetry(this, step, entry, outcome)
    switch (outcome.type) {
      case 'wait':
        if (outcome.until > this.ports.now()) park(this, entry, outcome.until, 'wait', outcome)
        break
      case 'keyValue':
        entry.operation = outcome.operation
        if (outcome.operation.secret === 'kept') entry.shown = { output: SECRET_MASK }
        return this.#recordNow(step, entry, roots)
      case 'call':
        if (outcome.wait) park(this, entry, this.waits.calls.await(entry), 'call', outcome)
        entry.output = { run: entry.decision }
        return this.#recordNow(step, entry, roots)
      case 'callback':
        return this.#awaitCallback(step, entry, outcome, roots)
      case 'failed':
        entry.error = outcome.error
    }
    if ('output' in outcome) entry.output = outcome.output ?? null
    if (outcome.type === 'reply' && this.#flow.trigger.keepsReply) keepReply(entry, outcome)
    if ('shown' in outcome) entry.shown = outcome.shown
    this.#close(step, entry, outcome.type === 'wait' ? 'done' : outcome.type, roots)
    // The reply is written with the end of the run, or else before the next step.
    if (outcome.type === 'reply') this.#caller.owe(outcome.reply)
    return undefined
  }

  async #awaitCallback(step: Step, entry: JournalEntry, left: Awaiting, roots: Roots): Promise<void> {
    await this.writer.started()
    const settled = await this.waits.arrive(entry, left.awaited, roots)
    if (typeof settled === 'number') park(this, entry, settled, 'callback', left)
    await this.#settle(step, entry, settled, roots)
  }

  #close(step: Step, entry: JournalEntry, outcome: ClosingOutcome, roots: Roots): void {
    this.writer.add(closeEntry(entry, outcome, this.ports.now()))
    this.#rememberOutcome(step, entry, roots)
  }

  /** Records the outcome at once, because more than this run is written with it. */
  async #recordNow(step: Step, entry: JournalEntry, roots: Roots): Promise<void> {
    this.writer.add(closeEntry(entry, 'done', this.ports.now()))
    await this.writer.write('running')
    this.#rememberOutcome(step, entry, roots)
  }

  /** Records that a step has begun to run nested steps. */
  journalOpening(entry: JournalEntry, roots: Roots): void {
    const opened = { ...entry }
    this.writer.add(opened)
    if (roots !== this.#roots) this.recorded.set(entry.path, opened)
  }

  #rememberOutcome(step: Step, entry: JournalEntry, roots: Roots): void {
    // A round that waits is walked again in this process, and needs its own finished steps.
    if (roots !== this.#roots) this.recorded.set(entry.path, entry)
    // Only new assignments are applied: the claim already contains the recorded variables.
    if (entry.outcome === 'assign') setVars(roots, entry.output as object)
    this.#applyOutcome(step, entry, roots)
  }

  /** Applies an outcome, new or from the journal, to the rest of the walk. */
  #applyOutcome(step: Step, entry: JournalEntry, roots: Roots): void {
    exposeOutput(entry, roots)
    if (entry.outcome === 'stop') throw new Stopped()
    if (entry.error && step.onError === 'fail') throw failureOf(entry)
  }

  /** Throws if the run was stopped or cancelled: the result of a step that was cut short is not its outcome. */
  #throwIfEnded(): void {
    if (this.#stopping) throw new Interrupted()
    if (this.#cancelled) throw new ClaimLost()
  }

  newEntry(step: Step, path: string, earlier?: JournalEntry): JournalEntry {
    return newEntry(step, path, earlier, () => ++this.#seq, this.ports.now)
  }

  async roundEnded(): Promise<void> {
    if (this.writer.unwritten >= MAX_UNWRITTEN) await this.writer.write('running')
    if (this.#caller.isOwedReply) await this.#writeAndReply()
    this.#throwIfEnded()
  }

  async #writeAndReply(): Promise<void> {
    await this.writer.flush()
    this.#caller.sendOwed()
  }

  async #finish(status: 'succeeded' | 'failed', error: RunError | null): Promise<Advanced> {
    if (error) this.trace?.failed(error)
    await this.writer.write(status, runEnding(this.run, this.#flow, status, error, this.ports))
    this.#caller.sendFinal(this.#flow.trigger, this.#roots, error)
    return { state: 'finished' }
  }
}
