// Carries one claimed run as far as possible: takes finished steps from the journal, runs the rest, records each outcome.
import { type CompiledStep, SECRET_MASK } from '../flow/compile.ts'
import type { CompiledFlow } from '../flow/compile-flow.ts'
import { noteAttempt } from './attempts.ts'
import { runEnding } from './ending/run-end.ts'
import { closeEntry, exposeOutput, keepReply, newEntry, type Pending, parkEntry } from './journal-entries.ts'
import { JournalWriter } from './journal-writer.ts'
import { restoreNested } from './nested/walk-rounds.ts'
import { performInRun, type RunningStep, type StepWalk } from './perform-in-run.ts'
import { failureOf, NestedFailure } from './perform-step.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { Advanced, ClaimedRun, JournalEntry, RunError } from './ports/run-journal.ts'
import type { RunTrace } from './ports/tracing.ts'
import { retryAt } from './retry.ts'
import { type Roots, rootsOf } from './run-bindings.ts'
import type { Outcome, StepKind } from './step-kind.ts'
import { WaitingCaller } from './waiting-caller.ts'
import { RunWaits } from './waits/run-waits.ts'
import { ClaimLost, Interrupted, Parked, Stopped } from './walk-signals.ts'

/** The most outcomes that wait for a write: a loop of steps that never reach out must not gather them without end. */
const MAX_UNWRITTEN = 200

type Step = CompiledStep<StepKind>

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
    for (const step of steps) await this.#step(step, prefix + step.id, roots)
  }

  async #step(step: Step, path: string, roots: Roots): Promise<void> {
    const earlier = this.recorded.get(path)
    const isAwaiting = earlier?.outcome === 'call' || earlier?.outcome === 'callback'
    if (earlier?.outcome && earlier.outcome !== 'wait' && !isAwaiting) {
      await restoreNested(this, earlier, roots)
      return this.#applyOutcome(step, earlier, roots)
    }
    if (this.#caller.isOwedReply) await this.#writeAndReply()
    this.#throwIfEnded()
    const { now, journal } = this.ports
    if (isAwaiting) return this.#settle(step, ...(await this.waits.resultOf(earlier!, roots)), roots)
    if (earlier?.resumeAt && earlier.resumeAt > now()) throw new Parked(earlier.resumeAt)
    if (earlier?.outcome === 'wait') return this.#addOutcome(step, closeEntry({ ...earlier }, 'done', now()), roots)
    if (step.callbacks.length) {
      await this.writer.started()
      await this.waits.callbacks.provide(step.callbacks, path, roots)
    }
    if (step.kind.reachesOut || this.writer.unwritten >= MAX_UNWRITTEN) await this.writer.flush()
    if (step.kind.reachesOut && journal.holds) await this.writer.confirm()
    const entry = this.newEntry(step, path, earlier)
    const outcome = await performInRun(this, step, entry, earlier?.status === 'running', roots)
    await this.#settle(step, entry, outcome, roots)
  }

  async #settle(step: Step, entry: JournalEntry, outcome: Outcome, roots: Roots): Promise<void> {
    this.#throwIfEnded()
    this.#parkForRetry(step, entry, outcome)
    await this.#recordOutcome(step, entry, outcome, roots)
  }

  async #recordOutcome(step: Step, entry: JournalEntry, outcome: Outcome, roots: Roots): Promise<void> {
    switch (outcome.type) {
      case 'wait':
        if (outcome.until <= this.ports.now()) break
        this.#park(entry, outcome.until, 'wait', outcome)
        break
      case 'keyValue':
        entry.operation = outcome.operation
        if (outcome.operation.secret === 'kept') entry.shown = { output: SECRET_MASK }
        return this.#recordNow(step, entry, roots)
      case 'call':
        if (outcome.wait) this.#park(entry, this.waits.calls.await(entry), 'call', outcome)
        entry.output = { run: entry.decision }
        return this.#recordNow(step, entry, roots)
      case 'callback': {
        await this.writer.started()
        const settled = await this.waits.arrive(entry, outcome.awaited, roots)
        if (typeof settled === 'number') this.#park(entry, settled, 'callback', outcome)
        return this.#settle(step, entry, settled, roots)
      }
      case 'failed':
        entry.error = outcome.error
    }
    if ('output' in outcome) entry.output = outcome.output ?? null
    if (outcome.type === 'reply' && this.#flow.trigger.keepsReply) keepReply(entry, outcome)
    if ('shown' in outcome) entry.shown = outcome.shown
    const closed = closeEntry(entry, outcome.type === 'wait' ? 'done' : outcome.type, this.ports.now())
    this.#addOutcome(step, closed, roots)
    // The reply is written with the end of the run, or else before the next step.
    if (outcome.type === 'reply') this.#caller.owe(outcome.reply)
  }

  /** Records the outcome at once, because more than this run is written with it. */
  async #recordNow(step: Step, entry: JournalEntry, roots: Roots): Promise<void> {
    this.writer.add(closeEntry(entry, 'done', this.ports.now()))
    await this.writer.write('running')
    this.#rememberOutcome(step, entry, roots)
  }

  #addOutcome(step: Step, entry: JournalEntry, roots: Roots): void {
    this.writer.add(entry)
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
    if (entry.outcome === 'assign') Object.assign(roots['vars'] as object, entry.output)
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

  /** Throws Parked if another attempt is due. */
  #parkForRetry(step: Step, entry: JournalEntry, outcome: Outcome): void {
    const at = step.retry && retryAt(step.retry, step.kind.retryOn, outcome, entry.attempt, this.ports)
    if (at !== null || entry.attempts) noteAttempt(entry, outcome, this.ports.now())
    if (at === null) return
    this.#park(entry, at, null, outcome)
  }

  #park(entry: JournalEntry, resumeAt: number | null, outcome: Pending | null, left: Outcome): never {
    this.writer.add(parkEntry(entry, resumeAt, outcome, left))
    this.recorded.set(entry.path, entry)
    throw new Parked(resumeAt, outcome === 'callback' || resumeAt === null)
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
