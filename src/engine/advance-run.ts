// Carries one claimed run as far as it goes: walks its steps, takes what the journal holds, runs the rest, records every outcome.
import type { CompiledFlow, CompiledStep, CompiledSteps } from '../flow/compile.ts'
import { callerReply, defaultErrorReply, defaultReply } from './caller-reply.ts'
import type { HttpClient } from './http-client.ts'
import { NestedFailure, performStep, WalkSignal } from './perform-step.ts'
import { nextAttemptAt, troubleOf } from './retry.ts'
import { createRoots, type Hashing, type Roots, stepScope } from './run-scope.ts'
import type { Advanced, ClaimedRun, JournalEntry, RunError, RunJournal, RunProgress, RunStatus } from './run-store.ts'
import type { CallerReply, Outcome, StepContext, StepKind } from './step-kind.ts'

export interface EnginePorts {
  journal: RunJournal
  http: HttpClient
  now(): number
  /** In [0, 1). */
  random(): number
  hashing: Hashing
  env: Readonly<Record<string, string>>
  /** Hands a reply to the webhook's caller, if one still waits. */
  reply(runId: string, reply: CallerReply): void
  /** After each durable step forward. */
  progressed(run: ClaimedRun, progress: RunProgress): void
  /** The database cannot be written: resolves when it is worth another try. */
  storageTrouble(error: unknown): Promise<void>
  bug(error: unknown, run: ClaimedRun): void
  holdsSecret(text: string): boolean
}

class Stopped extends WalkSignal {}
class ClaimLost extends WalkSignal {}
/** The process is stopping: what is under way stays in the journal as it is, and is taken up at the next start. */
class Interrupted extends WalkSignal {}
class Parked extends WalkSignal {
  readonly resumeAt: number
  constructor(resumeAt: number) {
    super('parked')
    this.resumeAt = resumeAt
  }
}

export class RunWalk {
  readonly run: ClaimedRun
  readonly #flow: CompiledFlow<StepKind>
  readonly #ports: EnginePorts
  readonly #roots: Roots
  #abort: AbortController | null = null
  #cancelled = false
  /** What earlier claims have recorded, by path. */
  readonly #earlier: Map<string, JournalEntry>
  /** Outcomes that are not written yet; they go out together, before anything that depends on them. */
  #unwritten: JournalEntry[] = []
  #writing: Promise<void> | null = null
  #seq: number
  #replied = false
  #stopping = false
  /** The step that runs now and has no entry yet, for whoever looks at a run that takes its time. */
  #current: JournalEntry | null = null

  constructor(run: ClaimedRun, flow: CompiledFlow<StepKind>, ports: EnginePorts) {
    this.run = run
    this.#flow = flow
    this.#ports = ports
    this.#earlier = new Map(run.journal.map((entry) => [entry.path, entry]))
    this.#seq = run.journal.reduce((highest, entry) => Math.max(highest, entry.seq), 0)
    this.#replied = run.journal.some((entry) => entry.outcome === 'reply')
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
      connections: Object.create(null),
    })
  }

  async advance(): Promise<Advanced> {
    try {
      await this.#steps(this.#flow.steps, '')
      return await this.#finish('succeeded', null)
    } catch (error) {
      if (error instanceof Stopped) return await this.#finish('succeeded', null)
      if (error instanceof NestedFailure) return await this.#finish('failed', error.outcome.error)
      if (error instanceof ClaimLost) return { state: 'lost' }
      if (error instanceof Interrupted) return { state: 'interrupted' }
      if (error instanceof Parked) {
        await this.#write('waiting', { resumeAt: error.resumeAt })
        return { state: 'parked', resumeAt: error.resumeAt }
      }
      throw error
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

  /** Records that the current step runs, if it has been running since before `before`. */
  async noteRunning(before: number): Promise<void> {
    const current = this.#current
    if (!current || current.startedAt >= before) return
    this.#current = null
    this.#unwritten.push(current)
    await this.#write('running')
  }

  async #steps(steps: readonly CompiledStep<StepKind>[], parent: string): Promise<void> {
    for (const step of steps) await this.#step(step, parent + step.id)
  }

  async #step(step: CompiledStep<StepKind>, path: string): Promise<void> {
    const earlier = this.#earlier.get(path)
    if (earlier?.outcome) {
      this.#recall(earlier)
      return this.#take(step, earlier)
    }
    this.#leaveOff()
    if (earlier?.resumeAt && earlier.resumeAt > this.#ports.now()) throw new Parked(earlier.resumeAt)
    if (step.kind.reachesOut && this.#unwritten.length) await this.#write('running')
    const entry = this.#begin(step, path, earlier)
    this.#current = entry
    const { outcome, input } = await performStep(
      step,
      stepScope(this.#roots, this.#ports.hashing, this.run.id, path, entry.startedAt),
      (settings, showInput) => this.#context(entry, earlier?.status === 'running', settings, showInput),
      (error) => this.#ports.bug(error, this.run),
    )
    this.#current = null
    this.#leaveOff()
    entry.input = input
    this.#retryOrPark(step, entry, outcome)
    this.#close(entry, outcome)
    this.#unwritten.push(entry)
    if (outcome.type === 'reply') await this.#answer(outcome.reply)
    this.#take(step, entry)
  }

  /** What came of a step that was cut short is not its outcome. */
  #leaveOff(): void {
    if (this.#stopping) throw new Interrupted()
    if (this.#cancelled) throw new ClaimLost()
  }

  #begin(step: CompiledStep<StepKind>, path: string, earlier: JournalEntry | undefined): JournalEntry {
    const waited = earlier?.status === 'waiting'
    return {
      path,
      id: step.id,
      kind: step.kind.kind,
      seq: earlier?.seq ?? ++this.#seq,
      status: 'running',
      attempt: (earlier?.attempt ?? 1) + (waited ? 1 : 0),
      startedAt: earlier?.startedAt ?? this.#ports.now(),
      finishedAt: null,
      outcome: null,
      decision: waited ? null : (earlier?.decision ?? null),
      resumeAt: null,
      input: null,
      output: null,
      error: null,
      logs: null,
    }
  }

  #context(
    entry: JournalEntry,
    interrupted: boolean,
    settings: unknown,
    showInput: (input: unknown) => void,
  ): StepContext<never> {
    return {
      settings: settings as never,
      showInput,
      runId: this.run.id,
      path: entry.path,
      now: entry.startedAt,
      hops: this.run.hops,
      interrupted,
      http: this.#ports.http,
      holdsSecret: this.#ports.holdsSecret,
      signal: () => {
        this.#abort ??= new AbortController()
        return this.#abort.signal
      },
      announce: async () => {
        this.#current = null
        this.#unwritten.push({ ...entry })
        await this.#write('running')
      },
      decide: (choose) => {
        if (entry.decision === null) {
          entry.decision = choose()
          this.#unwritten.push({ ...entry })
        }
        return entry.decision as ReturnType<typeof choose>
      },
      runSteps: async (list) => {
        this.#current = null
        await this.#steps((list as CompiledSteps).steps as readonly CompiledStep<StepKind>[], nestedPrefix(entry))
      },
    }
  }

  /** Throws Parked where another attempt is due. */
  #retryOrPark(step: CompiledStep<StepKind>, entry: JournalEntry, outcome: Outcome): void {
    const trouble = step.retry && troubleOf(outcome)
    if (!trouble) return
    const { now, random } = this.#ports
    const at = nextAttemptAt(step.retry!, step.kind.retryOn, trouble, entry.attempt, now(), random())
    if (at === null) return
    entry.status = 'waiting'
    entry.resumeAt = at
    if (outcome.type === 'failed') entry.error = outcome.error
    entry.output = 'output' in outcome ? (outcome.output ?? null) : null
    this.#unwritten.push(entry)
    throw new Parked(at)
  }

  #close(entry: JournalEntry, outcome: Outcome): void {
    entry.finishedAt = this.#ports.now()
    entry.outcome = outcome.type
    entry.status = outcome.type === 'failed' ? 'failed' : 'succeeded'
    entry.output = outcome.type === 'stop' ? null : (outcome.output ?? null)
    entry.error = outcome.type === 'failed' ? outcome.error : null
  }

  /** Lets the rest of the walk see an outcome, be it new or from the journal. */
  #take(step: CompiledStep<StepKind>, entry: JournalEntry): void {
    this.#show(entry)
    if (entry.outcome === 'stop') throw new Stopped()
    if (entry.outcome === 'failed' && step.onError === 'fail')
      throw new NestedFailure({ type: 'failed', error: withStep(entry), output: entry.output })
  }

  #show(entry: JournalEntry): void {
    const steps = this.#roots['steps'] as Record<string, unknown>
    steps[entry.id] = entry.error
      ? { ...(isObject(entry.output) ? entry.output : null), error: entry.error }
      : entry.output
    if (entry.outcome === 'assign') Object.assign(this.#roots['vars'] as object, entry.output)
  }

  /** A step that is taken from the journal brings along what its nested steps left. */
  #recall(entry: JournalEntry): void {
    const prefix = nestedPrefix(entry)
    for (const nested of this.#earlier.values())
      if (nested.path.startsWith(prefix) && nested.outcome) this.#show(nested)
  }

  async #answer(reply: CallerReply): Promise<void> {
    await this.#write('running')
    if (this.#replied) return
    this.#replied = true
    this.#ports.reply(this.run.id, reply)
  }

  async #finish(status: 'succeeded' | 'failed', error: RunError | null): Promise<Advanced> {
    try {
      await this.#write(status, { error })
    } catch (signal) {
      if (signal instanceof ClaimLost) return { state: 'lost' }
      throw signal
    }
    if (this.#flow.trigger.mode === 'finished' && !this.#replied)
      this.#ports.reply(this.run.id, this.#finalReply(error))
    return { state: 'finished' }
  }

  #finalReply(error: RunError | null): CallerReply {
    const { reply, errorReply } = this.#flow.trigger
    const now = this.#ports.now()
    const scope = (roots: Roots) => stepScope(roots, this.#ports.hashing, this.run.id, 'reply', now)
    if (error) {
      const roots = Object.assign(Object.create(null), this.#roots, { error })
      return callerReply(errorReply, scope(roots), defaultErrorReply(this.run.id, error.message))
    }
    return callerReply(reply, scope(this.#roots), defaultReply(this.run.id))
  }

  /** Writes follow one another, so that none can overtake what it depends on. */
  async #write(status: RunStatus, change: { resumeAt?: number; error?: RunError | null } = {}): Promise<void> {
    while (this.#writing) await this.#writing
    const entries = this.#unwritten
    this.#unwritten = []
    const finished = status === 'succeeded' || status === 'failed'
    const progress: RunProgress = {
      status,
      startedAt: this.run.startedAt,
      finishedAt: finished ? this.#ports.now() : null,
      resumeAt: change.resumeAt ?? null,
      error: change.error ?? null,
      entries,
    }
    const writing = this.#record(progress)
    this.#writing = writing.then(noop, noop)
    try {
      await writing
    } finally {
      this.#writing = null
    }
    this.#ports.progressed(this.run, progress)
  }

  async #record(progress: RunProgress): Promise<void> {
    for (;;) {
      try {
        if (!(await this.#ports.journal.record(this.run.claim, progress))) throw new ClaimLost()
        return
      } catch (error) {
        if (error instanceof WalkSignal) throw error
        if (this.#stopping) throw new Interrupted()
        await this.#ports.storageTrouble(error)
      }
    }
  }
}

const noop = () => {}

/** Each attempt of a step that runs others has its own places for them in the journal. */
const nestedPrefix = (entry: JournalEntry): string =>
  entry.attempt === 1 ? `${entry.path}/` : `${entry.path}#${entry.attempt}/`

function withStep(entry: JournalEntry): RunError {
  const error = entry.error! as RunError
  return error.step ? error : { ...error, step: entry.id }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
