// Carries one claimed run as far as it goes: walks its steps, takes what the journal holds, runs the rest, records every outcome.
import { type CompiledFlow, type CompiledStep, SECRET_MASK } from '../flow/compile.ts'
import { closeEntry, errorWithStep, exposeOutput, newEntry, parkEntry } from './journal-entries.ts'
import { JournalWriter } from './journal-writer.ts'
import { performInRun, type RunningStep, type StepWalk } from './perform-in-run.ts'
import { NestedFailure } from './perform-step.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { Advanced, ClaimedRun, JournalEntry, RunError } from './ports/run-journal.ts'
import type { RunTrace } from './ports/tracing.ts'
import { nextAttemptAt, troubleOf } from './retry.ts'
import { createRoots, type Roots } from './run-scope.ts'
import type { Outcome, StepKind } from './step-kind.ts'
import { WaitingCaller } from './waiting-caller.ts'
import { restoreNested } from './walk-rounds.ts'
import { ClaimLost, Interrupted, Parked, Stopped } from './walk-signals.ts'

/** Outcomes that wait for their write at most: a loop of steps that reach nothing must not gather them without end. */
const MAX_UNWRITTEN = 200

export class RunWalk implements StepWalk {
  readonly run: ClaimedRun
  readonly trace: RunTrace | null
  /** When this process took the run up. */
  readonly since: number
  readonly #flow: CompiledFlow<StepKind>
  readonly ports: EnginePorts
  readonly writer: JournalWriter
  /** What is recorded, by path: by earlier claims, and inside of rounds by this one. */
  readonly recorded: Map<string, JournalEntry>
  readonly #caller: WaitingCaller
  readonly #roots: Roots
  #abort: AbortController | null = null
  #cancelled = false
  #seq: number
  #stopping = false
  /** The steps that run now, shown of a run that takes its time. */
  readonly running: RunningStep[] = []

  constructor(run: ClaimedRun, flow: CompiledFlow<StepKind>, ports: EnginePorts) {
    this.run = run
    this.trace = ports.tracing?.run(run, flow.name) ?? null
    this.since = ports.now()
    this.#flow = flow
    this.ports = ports
    this.recorded = new Map(run.journal.map((entry) => [entry.path, entry]))
    this.#seq = run.lastSeq
    this.#caller = new WaitingCaller(run, ports)
    this.writer = new JournalWriter(run, ports, () => this.#stopping)
    this.#roots = createRoots({
      webhook: run.webhook,
      run: {
        id: run.id,
        startedAt: new Date(run.startedAt).toISOString(),
        attempt: run.attempt,
        replayOf: run.replayOf,
      },
      flow: { id: run.flowId, name: flow.name, version: run.version },
      env: ports.env,
      connections: ports.connections.fields,
    })
    this.#roots['vars'] = run.vars
  }

  async advance(): Promise<Advanced> {
    try {
      return await this.#walk()
    } catch (signal) {
      if (signal instanceof ClaimLost) return { state: 'lost' }
      if (signal instanceof Interrupted) {
        // What has come in is kept, so that it is not asked for again.
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
      await this.writer.write('waiting', { resumeAt: signal.resumeAt })
      this.#caller.sendOwed()
      return { state: 'parked', resumeAt: signal.resumeAt }
    }
  }

  /** Aborted when the run is cancelled or the process stops. */
  signal(): AbortSignal {
    this.#abort ??= new AbortController()
    return this.#abort.signal
  }

  /** The run was cancelled, its claim is gone: end what is under way. */
  cancel(): void {
    this.#cancelled = true
    this.#abort?.abort()
  }

  /** The process stops: leave off at once; the journal knows how far the run came. */
  interrupt(): void {
    this.#stopping = true
    this.#abort?.abort()
  }

  /** Records the steps that have been running since before `before`. */
  async noteRunning(before: number): Promise<void> {
    const long = this.running.filter(({ entry, noted }) => !noted && entry.startedAt < before)
    if (long.length === 0) return
    for (const running of long) {
      running.noted = true
      this.writer.add({ ...running.entry })
    }
    await this.writer.write('running')
  }

  async walkSteps(steps: readonly CompiledStep<StepKind>[], prefix: string, roots: Roots): Promise<void> {
    for (const step of steps) await this.#step(step, prefix + step.id, roots)
  }

  async #step(step: CompiledStep<StepKind>, path: string, roots: Roots): Promise<void> {
    const earlier = this.recorded.get(path)
    if (earlier?.outcome && earlier.outcome !== 'wait') {
      await restoreNested(this, earlier, roots)
      return this.#applyOutcome(step, earlier, roots)
    }
    if (this.#caller.isOwedReply) await this.#writeAndReply()
    this.#throwIfEnded()
    const { now, journal } = this.ports
    if (earlier?.resumeAt && earlier.resumeAt > now()) throw new Parked(earlier.resumeAt)
    if (earlier?.outcome === 'wait') return this.#addOutcome(step, closeEntry({ ...earlier }, 'done', now()), roots)
    if (step.kind.reachesOut || this.writer.unwritten >= MAX_UNWRITTEN) await this.writer.flush()
    if (step.kind.reachesOut && journal.holds) await this.writer.confirm()
    const entry = this.newEntry(step, path, earlier)
    const outcome = await performInRun(this, step, entry, earlier?.status === 'running', roots)
    this.#throwIfEnded()
    this.#parkForRetry(step, entry, outcome)
    await this.#recordOutcome(step, entry, outcome, roots)
  }

  async #recordOutcome(
    step: CompiledStep<StepKind>,
    entry: JournalEntry,
    outcome: Outcome,
    roots: Roots,
  ): Promise<void> {
    switch (outcome.type) {
      case 'wait':
        if (outcome.until <= this.ports.now()) break
        this.#park(entry, outcome.until, 'wait', outcome)
        break
      case 'keyValue':
        entry.operation = outcome.operation
        if (outcome.operation.secret === 'kept') entry.shown = { output: SECRET_MASK }
        this.writer.add(closeEntry(entry, 'done', this.ports.now()))
        await this.writer.write('running')
        return this.#rememberOutcome(step, entry, roots)
      case 'failed':
        entry.error = outcome.error
    }
    if ('output' in outcome) entry.output = outcome.output ?? null
    if ('shown' in outcome) entry.shown = outcome.shown
    const closed = closeEntry(entry, outcome.type === 'wait' ? 'done' : outcome.type, this.ports.now())
    this.#addOutcome(step, closed, roots)
    // Written with whatever ends the run here, or else before the next step.
    if (outcome.type === 'reply') this.#caller.owe(outcome.reply)
  }

  #addOutcome(step: CompiledStep<StepKind>, entry: JournalEntry, roots: Roots): void {
    this.writer.add(entry)
    this.#rememberOutcome(step, entry, roots)
  }

  /** Records that a step has begun to run others. */
  journalOpening(entry: JournalEntry, roots: Roots): void {
    const opened = { ...entry }
    this.writer.add(opened)
    if (roots !== this.#roots) this.recorded.set(entry.path, opened)
  }

  #rememberOutcome(step: CompiledStep<StepKind>, entry: JournalEntry, roots: Roots): void {
    // A round that waits is walked again in this process: it must know what it has done.
    if (roots !== this.#roots) this.recorded.set(entry.path, entry)
    // Only what is new: the variables of what was recorded came with the claim.
    if (entry.outcome === 'assign') Object.assign(roots['vars'] as object, entry.output)
    this.#applyOutcome(step, entry, roots)
  }

  /** Lets the rest of the walk see an outcome, be it new or from the journal. */
  #applyOutcome(step: CompiledStep<StepKind>, entry: JournalEntry, roots: Roots): void {
    exposeOutput(entry, roots)
    if (entry.outcome === 'stop') throw new Stopped()
    if (entry.error && step.onError === 'fail')
      throw new NestedFailure({
        type: 'failed',
        error: errorWithStep(entry),
        output: entry.output,
        ...(entry.shown && { shown: entry.shown }),
      })
  }

  /** What came of a step that was cut short is not its outcome. */
  #throwIfEnded(): void {
    if (this.#stopping) throw new Interrupted()
    if (this.#cancelled) throw new ClaimLost()
  }

  newEntry(step: CompiledStep<StepKind>, path: string, earlier?: JournalEntry): JournalEntry {
    return newEntry(step, path, earlier, () => ++this.#seq, this.ports.now)
  }

  async roundEnded(): Promise<void> {
    if (this.writer.unwritten >= MAX_UNWRITTEN) await this.writer.write('running')
    if (this.#caller.isOwedReply) await this.#writeAndReply()
    this.#throwIfEnded()
  }

  /** Throws Parked where another attempt is due. */
  #parkForRetry(step: CompiledStep<StepKind>, entry: JournalEntry, outcome: Outcome): void {
    const trouble = step.retry && troubleOf(outcome)
    if (!trouble) return
    const { now, random } = this.ports
    const at = nextAttemptAt(step.retry!, step.kind.retryOn, trouble, entry.attempt, now(), random())
    if (at === null) return
    if (outcome.type === 'failed') entry.error = outcome.error
    this.#park(entry, at, null, outcome)
  }

  #park(entry: JournalEntry, resumeAt: number, outcome: 'wait' | null, left: Outcome): never {
    this.writer.add(parkEntry(entry, resumeAt, outcome, left))
    this.recorded.set(entry.path, entry)
    throw new Parked(resumeAt)
  }

  async #writeAndReply(): Promise<void> {
    await this.writer.flush()
    this.#caller.sendOwed()
  }

  async #finish(status: 'succeeded' | 'failed', error: RunError | null): Promise<Advanced> {
    if (error) this.trace?.failed(error)
    await this.writer.write(status, { error })
    this.#caller.sendFinal(this.#flow.trigger, this.#roots, error)
    return { state: 'finished' }
  }
}
