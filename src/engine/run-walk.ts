// Carries one claimed run as far as it goes: walks its steps, takes what the journal holds, runs the rest, records every outcome.
import { type CompiledFlow, type CompiledStep, type CompiledSteps, SECRET_MASK } from '../flow/compile.ts'
import type { StepListHandle } from '../flow/schema.ts'
import { defaultReply, finalReply, soundReply } from './caller-reply.ts'
import { JournalWriter } from './journal-writer.ts'
import { NestedFailure, performStep } from './perform-step.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { RoomOfRun, Standing } from './ports/http-client.ts'
import { type Advanced, type ClaimedRun, type JournalEntry, ROUND, type RunError } from './ports/run-journal.ts'
import type { RunTrace, StepTrace } from './ports/tracing.ts'
import { nextAttemptAt, troubleOf } from './retry.ts'
import { type Round, type RoundRecord, runRounds } from './run-rounds.ts'
import { createRoots, type Roots, roundRoots, stepScope } from './run-scope.ts'
import type { CallerReply, Outcome, RoundPlan, StepContext, StepKind } from './step-kind.ts'
import { ClaimLost, Interrupted, Parked, Stopped } from './walk-signals.ts'

/** Outcomes that wait for their write at most: a loop of steps that reach nothing must not gather them without end. */
const MAX_UNWRITTEN = 200

export class RunWalk {
  readonly run: ClaimedRun
  readonly trace: RunTrace | null
  /** When this process took the run up. */
  readonly since: number
  readonly #flow: CompiledFlow<StepKind>
  readonly #ports: EnginePorts
  readonly #roots: Roots
  #abort: AbortController | null = null
  #cancelled = false
  /** What earlier claims have recorded, by path. */
  readonly #earlier: Map<string, JournalEntry>
  readonly #writer: JournalWriter
  #seq: number
  #replied = false
  /** What the caller is told as soon as it is written that it was said. */
  #unsent: CallerReply | null = null
  #stopping = false
  /** The steps that run now, for whoever looks at a run that takes its time. */
  readonly #running: { entry: JournalEntry; noted: boolean }[] = []

  constructor(run: ClaimedRun, flow: CompiledFlow<StepKind>, ports: EnginePorts) {
    this.run = run
    this.trace = ports.tracing?.run(run, flow.name) ?? null
    this.since = ports.now()
    this.#flow = flow
    this.#ports = ports
    this.#earlier = new Map(run.journal.map((entry) => [entry.path, entry]))
    this.#seq = run.lastSeq
    this.#replied = run.journal.some((entry) => entry.outcome === 'reply')
    this.#writer = new JournalWriter(run, ports, () => this.#stopping)
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
        await this.#writer.flush().catch(() => {})
        return { state: 'interrupted' }
      }
      throw signal
    }
  }

  async #walk(): Promise<Advanced> {
    try {
      await this.#steps(this.#flow.steps, '', this.#roots)
      return await this.#finish('succeeded', null)
    } catch (signal) {
      if (signal instanceof Stopped) return this.#finish('succeeded', null)
      if (signal instanceof NestedFailure) return this.#finish('failed', signal.outcome.error)
      if (!(signal instanceof Parked)) throw signal
      await this.#writer.write('waiting', { resumeAt: signal.resumeAt })
      this.#tell()
      return { state: 'parked', resumeAt: signal.resumeAt }
    }
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
    const long = this.#running.filter(({ entry, noted }) => !noted && entry.startedAt < before)
    if (long.length === 0) return
    for (const running of long) {
      running.noted = true
      this.#writer.add({ ...running.entry })
    }
    await this.#writer.write('running')
  }

  async #steps(steps: readonly CompiledStep<StepKind>[], parent: string, roots: Roots): Promise<void> {
    for (const step of steps) await this.#step(step, parent + step.id, roots)
  }

  async #step(step: CompiledStep<StepKind>, path: string, roots: Roots): Promise<void> {
    const earlier = this.#earlier.get(path)
    if (earlier?.outcome && earlier.outcome !== 'wait') {
      await this.#recall(earlier, roots)
      return this.#take(step, earlier, roots)
    }
    if (this.#unsent) await this.#tellNow()
    this.#leaveOff()
    if (earlier?.resumeAt && earlier.resumeAt > this.#ports.now()) throw new Parked(earlier.resumeAt)
    if (earlier?.outcome === 'wait') return this.#settle(step, this.#close({ ...earlier }, 'done'), roots)
    if (step.kind.reachesOut || this.#writer.unwritten >= MAX_UNWRITTEN) await this.#writer.flush()
    if (step.kind.reachesOut && this.#ports.journal.holds) await this.#writer.confirm()
    const entry = this.#begin(step, path, earlier)
    const outcome = await this.#perform(step, entry, earlier?.status === 'running', roots)
    this.#leaveOff()
    this.#parkForRetry(step, entry, outcome)
    await this.#record(step, entry, outcome, roots)
  }

  async #perform(
    step: CompiledStep<StepKind>,
    entry: JournalEntry,
    interrupted: boolean,
    roots: Roots,
  ): Promise<Outcome> {
    const running = { entry, noted: false, trace: this.trace?.step(entry) ?? null }
    this.#running.push(running)
    this.#ports.begins(step.kind.kind, this.run.id)
    try {
      const { outcome, input } = await performStep(
        step,
        stepScope(roots, this.#ports.hashing, this.run.id, entry.path, entry.startedAt),
        this.#ports.connections,
        (settings, secrets, showInput) =>
          this.#context(step, running, interrupted, roots, { settings: settings as never, secrets, showInput }),
        (error) => this.#ports.bug(error, this.run),
      )
      entry.input = input
      running.trace?.ended(outcome)
      return outcome
    } catch (signal) {
      running.trace?.ended(null)
      // A stop inside ends what is around it too.
      if (signal instanceof Stopped) this.#writer.add(this.#close(entry, 'done'))
      throw signal
    } finally {
      this.#running.splice(this.#running.indexOf(running), 1)
    }
  }

  async #record(step: CompiledStep<StepKind>, entry: JournalEntry, outcome: Outcome, roots: Roots): Promise<void> {
    switch (outcome.type) {
      case 'wait':
        if (outcome.until <= this.#ports.now()) break
        this.#park(entry, outcome.until, 'wait', outcome)
        break
      case 'keyValue':
        entry.operation = outcome.operation
        if (outcome.operation.secret === 'kept') entry.shown = { output: SECRET_MASK }
        this.#writer.add(this.#close(entry, 'done'))
        await this.#writer.write('running')
        return this.#know(step, entry, roots)
      case 'failed':
        entry.error = outcome.error
    }
    if ('output' in outcome) entry.output = outcome.output ?? null
    if ('shown' in outcome) entry.shown = outcome.shown
    this.#settle(step, this.#close(entry, outcome.type === 'wait' ? 'done' : outcome.type), roots)
    // Written with whatever ends the run here, or else before the next step.
    if (outcome.type === 'reply' && !this.#replied) {
      this.#replied = true
      this.#unsent = outcome.reply
    }
  }

  #settle(step: CompiledStep<StepKind>, entry: JournalEntry, roots: Roots): void {
    this.#writer.add(entry)
    this.#know(step, entry, roots)
  }

  /** Records that a step has begun to run others. */
  #open(entry: JournalEntry, roots: Roots): void {
    const opened = { ...entry }
    this.#writer.add(opened)
    if (roots !== this.#roots) this.#earlier.set(entry.path, opened)
  }

  #know(step: CompiledStep<StepKind>, entry: JournalEntry, roots: Roots): void {
    // A round that waits is walked again in this process: it must know what it has done.
    if (roots !== this.#roots) this.#earlier.set(entry.path, entry)
    // Only what is new: the variables of what was recorded came with the claim.
    if (entry.outcome === 'assign') Object.assign(roots['vars'] as object, entry.output)
    this.#take(step, entry, roots)
  }

  /** What came of a step that was cut short is not its outcome. */
  #leaveOff(): void {
    if (this.#stopping) throw new Interrupted()
    if (this.#cancelled) throw new ClaimLost()
  }

  #begin(step: CompiledStep<StepKind>, path: string, earlier: JournalEntry | undefined): JournalEntry {
    const retried = earlier?.status === 'waiting'
    return {
      path,
      id: step.id,
      kind: step.kind.kind,
      seq: earlier?.seq ?? ++this.#seq,
      status: 'running',
      attempt: (earlier?.attempt ?? 1) + (retried ? 1 : 0),
      startedAt: earlier?.startedAt ?? this.#ports.now(),
      finishedAt: null,
      outcome: null,
      decision: retried ? null : (earlier?.decision ?? null),
      resumeAt: null,
      input: null,
      output: null,
      error: null,
      logs: null,
    }
  }

  #context(
    step: CompiledStep<StepKind>,
    running: { entry: JournalEntry; noted: boolean; trace: StepTrace | null },
    interrupted: boolean,
    roots: Roots,
    given: Pick<StepContext<never>, 'settings' | 'secrets' | 'showInput'>,
  ): StepContext<never> {
    const { entry } = running
    return {
      ...given,
      runId: this.run.id,
      path: entry.path,
      now: entry.startedAt,
      hops: this.run.hops,
      interrupted,
      http: running.trace?.http ?? this.#ports.http,
      replyRoom: () => this.#replyRoom(),
      standing: () => this.#standing(),
      connections: this.#ports.connections,
      sandbox: this.#ports.sandbox,
      log: (line) => {
        entry.logs = [...(entry.logs ?? []), step.secrets?.result ? SECRET_MASK : line]
      },
      holdsSecret: (text) => this.#ports.holdsSecret(text, this.run.flowId),
      signal: () => {
        this.#abort ??= new AbortController()
        return this.#abort.signal
      },
      announce: async () => {
        running.noted = true
        this.#writer.add({ ...entry })
        await this.#writer.write('running')
      },
      decide: (choose) => {
        if (entry.decision === null) {
          entry.decision = choose()
          running.noted = true
          this.#open(entry, roots)
        }
        return entry.decision as ReturnType<typeof choose>
      },
      runSteps: (list) => this.#steps(stepsOf(list), `${nestedBase(entry)}/`, roots),
      runRounds: (plan) => this.#rounds(step, entry, interrupted, roots, plan),
    }
  }

  #replyRoom(): RoomOfRun | null {
    const { replyRoom } = this.#ports
    const { id } = this.run
    if (!replyRoom) return null
    return { grow: (bytes) => replyRoom.grow(id, bytes), shrink: (bytes) => replyRoom.shrink(id, bytes) }
  }

  #standing(): Standing | null {
    const { journal } = this.#ports
    if (!journal.isCertain) return null
    return {
      isCertain: () => journal.isCertain!(),
      confirm: async () => {
        try {
          await this.#writer.confirm()
          return true
        } catch (signal) {
          // The step ends as cancelled, and what came of it counts as little as that of any run that was lost.
          if (signal instanceof ClaimLost) this.#cancelled = true
          return false
        }
      },
    }
  }

  #rounds(step: CompiledStep<StepKind>, entry: JournalEntry, resumed: boolean, roots: Roots, plan: RoundPlan) {
    const { id } = step
    const base = nestedBase(entry)
    const { journal, hashing, sleepUntil, now } = this.#ports
    // Rounds of `while` share what their steps left; rounds over a list keep it to themselves.
    const own = plan.items !== null
    const scopeOf = (round: Round, of: Roots) => stepScope(of, hashing, this.run.id, `${base}[${round.index}]`, now())
    if (!own && entry.decision === null) entry.decision = SHARED_ROUNDS
    // From here on there is something to come back to.
    this.#open(entry, roots)
    return runRounds(plan, step.onError === 'continue', {
      sleepUntil,
      finished: async () => {
        if (!resumed) return null
        await this.#writer.flush()
        return journal.rounds(this.run.id, base)
      },
      scopeBefore: (round) => scopeOf(round, roundRoots(roots, id, round, own)),
      settled: () => this.#writer.flush(),
      showShared: () => this.#showRounds(base, roots),
      walk: async (round, begunBefore) => {
        const prefix = `${base}[${round.index}]/`
        if (begunBefore)
          for (const earlier of await journal.entriesUnder(this.run.id, prefix))
            this.#earlier.set(earlier.path, earlier)
        const inner = roundRoots(roots, id, round, own)
        await this.#steps(stepsOf(plan.steps), prefix, inner)
        return scopeOf(round, inner)
      },
      record: (record) => this.#recordRound(step, base, record),
    })
  }

  async #recordRound(step: CompiledStep<StepKind>, base: string, { index, output, error }: RoundRecord): Promise<void> {
    const path = `${base}[${index}]`
    const entry = this.#begin(step, path, undefined)
    if (step.secrets?.result) entry.shown = { output: SECRET_MASK }
    this.#writer.add(this.#close({ ...entry, kind: ROUND, output, error }, error ? 'failed' : 'done'))
    for (const known of this.#earlier.keys()) if (known.startsWith(`${path}/`)) this.#earlier.delete(known)
    if (this.#writer.unwritten >= MAX_UNWRITTEN) await this.#writer.write('running')
    if (this.#unsent) await this.#tellNow()
    this.#leaveOff()
  }

  /** What the rounds of a `while` have left: the latest result of each step. */
  async #showRounds(base: string, roots: Roots): Promise<void> {
    for (const entry of await this.#ports.journal.latestOfRounds(this.run.id, base)) this.#show(entry, roots)
  }

  /** Throws Parked where another attempt is due. */
  #parkForRetry(step: CompiledStep<StepKind>, entry: JournalEntry, outcome: Outcome): void {
    const trouble = step.retry && troubleOf(outcome)
    if (!trouble) return
    const { now, random } = this.#ports
    const at = nextAttemptAt(step.retry!, step.kind.retryOn, trouble, entry.attempt, now(), random())
    if (at === null) return
    if (outcome.type === 'failed') entry.error = outcome.error
    this.#park(entry, at, null, outcome)
  }

  #park(entry: JournalEntry, resumeAt: number, outcome: 'wait' | null, left: Outcome): never {
    const output = 'output' in left ? (left.output ?? null) : null
    Object.assign(entry, { status: 'waiting', resumeAt, outcome, output })
    if ('shown' in left) entry.shown = left.shown
    this.#writer.add(entry)
    this.#earlier.set(entry.path, entry)
    throw new Parked(resumeAt)
  }

  #close(entry: JournalEntry, outcome: Exclude<JournalEntry['outcome'], 'wait' | null>): JournalEntry {
    entry.finishedAt = this.#ports.now()
    entry.resumeAt = null
    entry.outcome = outcome
    entry.status = outcome === 'failed' ? 'failed' : 'succeeded'
    return entry
  }

  /** Lets the rest of the walk see an outcome, be it new or from the journal. */
  #take(step: CompiledStep<StepKind>, entry: JournalEntry, roots: Roots): void {
    this.#show(entry, roots)
    if (entry.outcome === 'stop') throw new Stopped()
    if (entry.error && step.onError === 'fail')
      throw new NestedFailure({
        type: 'failed',
        error: withStep(entry),
        output: entry.output,
        ...(entry.shown && { shown: entry.shown }),
      })
  }

  #show(entry: JournalEntry, roots: Roots): void {
    const steps = roots['steps'] as Record<string, unknown>
    steps[entry.id] = entry.error
      ? { ...(isObject(entry.output) ? entry.output : null), error: entry.error }
      : entry.output
  }

  /** A step that is taken from the journal brings along what its nested steps left. */
  async #recall(entry: JournalEntry, roots: Roots): Promise<void> {
    const base = nestedBase(entry)
    for (const nested of this.#earlier.values())
      if (nested.path.startsWith(`${base}/`) && nested.outcome) this.#show(nested, roots)
    if (entry.decision === SHARED_ROUNDS) await this.#showRounds(base, roots)
  }

  async #tellNow(): Promise<void> {
    await this.#writer.flush()
    this.#tell()
  }

  #tell(): void {
    if (this.#unsent) {
      const refused = (reason: string) => this.#ports.replyRefused(this.run, reason)
      this.#ports.reply(this.run, soundReply(this.#unsent, defaultReply(this.run.id), refused))
    }
    this.#unsent = null
  }

  async #finish(status: 'succeeded' | 'failed', error: RunError | null): Promise<Advanced> {
    if (error) this.trace?.failed(error)
    await this.#writer.write(status, { error })
    this.#tell()
    const { trigger } = this.#flow
    if (trigger.mode === 'finished' && !this.#replied) {
      const scope = (roots: Roots) => stepScope(roots, this.#ports.hashing, this.run.id, 'reply', this.#ports.now())
      // An error's message may name what the caller must not know, such as a URL with a key.
      const told = this.#ports.redactReply(error, this.run)
      const refused = (reason: string) => this.#ports.replyRefused(this.run, reason)
      this.#ports.reply(this.run, finalReply(trigger, this.run.id, this.#roots, scope, told, refused))
    }
    return { state: 'finished' }
  }
}

/** The decision of a loop whose rounds share what their steps leave. */
const SHARED_ROUNDS = 'shared rounds'

const stepsOf = (list: StepListHandle) => (list as CompiledSteps).steps as readonly CompiledStep<StepKind>[]

/** Each attempt of a step that runs others has its own places for them in the journal. */
const nestedBase = (entry: JournalEntry): string =>
  entry.attempt === 1 ? entry.path : `${entry.path}#${entry.attempt}`

function withStep(entry: JournalEntry): RunError {
  const error = entry.error! as RunError
  return error.step ? error : { ...error, step: entry.id }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
