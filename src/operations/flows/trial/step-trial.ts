// Performs a step for Test Step, and the steps inside it: as a run would, but without a journal. Waits end at once, nothing is tried again.
import { isObject } from '../../../base/is-object.ts'
import { type RunFiles, runFiles } from '../../../engine/files/run-files.ts'
import { type Round, runRounds } from '../../../engine/nested/run-rounds.ts'
import { branchesResult, isDecided } from '../../../engine/nested/walk-branches.ts'
import { stepsOf } from '../../../engine/nested/walk-rounds.ts'
import { NestedFailure, type Performed, performStep, pinnedOutcome } from '../../../engine/perform-step.ts'
import type { EnginePorts } from '../../../engine/ports/engine-ports.ts'
import { type Roots, roundRoots, stepBindings } from '../../../engine/run-bindings.ts'
import type {
  BranchesPlan,
  BranchesResult,
  Outcome,
  RoundPlan,
  RoundsResult,
  StepContext,
  StepError,
  StepKind,
} from '../../../engine/step-kind.ts'
import { timedOut } from '../../../engine/waits/run-callbacks.ts'
import { Stopped } from '../../../engine/walk-signals.ts'
import { type CompiledStep, SECRET_MASK } from '../../../flow/compile.ts'
import type { Bindings } from '../../../flow/expression/values/bindings.ts'
import type { FlowServices } from '../services.ts'

const MOST_LOG_LINES = 1_000

export interface Trial {
  flowId: string
  runId: string
  startedAt: number
  /** The most rounds of a loop that run. */
  rounds: number
  /** Results that take the place of running a nested step. */
  pins: Readonly<Record<string, unknown>>
  /** Besides the flow, whose files its steps may read: its samples. */
  fileOwners: readonly string[]
}

/** How a step runs the lists of steps inside it. */
type Inside = Pick<StepContext<never>, 'runSteps' | 'runBranches'>

const NOT_INSIDE: Inside = {
  runSteps: async () => {},
  runBranches: async ({ branches }) => ({ finished: branches.map(({ name }) => name), errors: [], failure: null }),
}

/** What came of a step: as later steps read it, and as it may be shown. */
export interface Settled {
  output: unknown
  shown: unknown
  error: StepError | null
}

export class StepTrial {
  readonly logs: string[] = []
  /** The latest results of the steps inside a loop, as they may be shown. */
  readonly nested = new Map<string, Settled>()
  readonly #services: FlowServices
  readonly #trial: Trial

  constructor(services: FlowServices, trial: Trial) {
    this.#services = services
    this.#trial = trial
  }

  bindingsOf(path: string, roots: Roots): Bindings {
    return stepBindings(roots, this.#services.hashing, this.#trial.runId, path, this.#trial.startedAt)
  }

  /** Performs the step that is tested. A branch only decides: the steps inside it, and those of a parallel step, are tested separately. */
  async perform(step: CompiledStep<StepKind>, roots: Roots): Promise<Performed> {
    try {
      return await this.#perform(step, step.id, roots, NOT_INSIDE)
    } catch (signal) {
      if (signal instanceof Stopped) return { outcome: { type: 'stop' }, input: null }
      throw signal
    }
  }

  /** Settles the outcome of the step at `path`. The flow's keys are really changed, and a call really runs the other flow. */
  async settle(outcome: Outcome, path: string): Promise<Settled> {
    if (outcome.type === 'call')
      return this.settle(await this.#services.callInTest({ runId: this.#trial.runId, path, call: outcome }), path)
    if (outcome.type === 'stop') return { output: null, shown: null, error: null }
    // A test does not wait, and nobody answers it.
    if (outcome.type === 'callback') return this.settle(timedOut({ ...outcome.awaited, onTimeout: 'continue' }), path)
    if (outcome.type !== 'keyValue') {
      const output = outcome.output ?? null
      const shown = 'shown' in outcome && outcome.shown ? (outcome.shown.output ?? null) : output
      return { output, shown, error: outcome.type === 'failed' ? outcome.error : null }
    }
    const { flowId } = this.#trial
    const result = await this.#services.runs.operate(flowId, outcome.operation, this.#services.now())
    if (!('output' in result)) return { output: null, shown: null, error: result.error }
    const { output } = result
    return { output, shown: outcome.operation.secret === 'kept' ? SECRET_MASK : output, error: null }
  }

  async #perform(step: CompiledStep<StepKind>, path: string, roots: Roots, inside: Inside): Promise<Performed> {
    const { enginePorts, warn, now } = this.#services
    return performStep(
      step,
      this.bindingsOf(path, withStandIns(step, roots, enginePorts)),
      enginePorts.connections,
      (settings, secrets, showInput) => ({
        settings: settings as never,
        secrets,
        showInput,
        runId: this.#trial.runId,
        path,
        now: now(),
        hops: 0,
        interrupted: false,
        announce: async () => {},
        decide: (choose) => choose(),
        ...inside,
        runRounds: (plan) => this.#rounds(step, path, roots, plan),
        holdsSecret: (text) => enginePorts.holdsSecret(text, this.#trial.flowId),
        http: enginePorts.http,
        replyRoom: () => null,
        standing: () => null,
        connections: enginePorts.connections,
        flowId: this.#trial.flowId,
        files: this.#files(),
        sandbox: enginePorts.sandbox,
        log: (line) => this.#log(step, path, line),
        signal: () => new AbortController().signal,
      }),
      (error) => warn('a step failed by a fault of Millrace', { error }),
      { flowId: this.#trial.flowId, files: () => this.#files(), room: () => null },
    )
  }

  #files(): RunFiles {
    return runFiles(this.#services.enginePorts, [this.#trial.flowId, ...this.#trial.fileOwners])
  }

  #log(step: CompiledStep<StepKind>, path: string, line: string): void {
    if (this.logs.length >= MOST_LOG_LINES) return
    const shown = step.secrets?.result ? SECRET_MASK : line
    this.logs.push(path === step.id ? shown : `${path}: ${shown}`)
  }

  /** Runs the first rounds of a loop. They see how many there would be. */
  #rounds(step: CompiledStep<StepKind>, path: string, roots: Roots, plan: RoundPlan): Promise<RoundsResult> {
    const { rounds: most } = this.#trial
    const ownSteps = plan.items !== null
    let begun = 0
    const first: RoundPlan = {
      ...plan,
      items: plan.items?.slice(0, most) ?? null,
      holds: plan.holds && ((round) => begun < most && plan.holds!(round)),
    }
    const rootsOf = (round: Round) =>
      roundRoots(roots, step.id, { ...round, count: plan.items?.length ?? round.count }, ownSteps)
    const at = ({ index }: Round) => `${path}[${index}]`
    return runRounds(first, step.onError === 'continue', {
      finished: async () => null,
      bindingsBefore: (round) => this.bindingsOf(at(round), rootsOf(round)),
      walk: async (round) => {
        begun++
        const inner = rootsOf(round)
        await this.#walk(stepsOf(plan.steps), `${at(round)}/`, inner)
        return this.bindingsOf(at(round), inner)
      },
      showShared: async () => {},
      settled: async () => {},
      record: async () => {},
      // Nothing waits in a trial.
      sleepUntil: () => ({ done: Promise.resolve(), end() {} }),
    })
  }

  async #walk(steps: readonly CompiledStep<StepKind>[], prefix: string, roots: Roots): Promise<void> {
    for (const step of steps) await this.#step(step, prefix + step.id, roots)
  }

  /** Runs the branches of a parallel step one after the other, until it is decided. */
  async #branches(
    step: CompiledStep<StepKind>,
    path: string,
    roots: Roots,
    plan: BranchesPlan,
  ): Promise<BranchesResult> {
    const ended = new Map<number, StepError | null>()
    for (const [index, { steps }] of plan.branches.entries()) {
      if (isDecided(plan, step.onError, ended)) break
      try {
        await this.#walk(stepsOf(steps), `${path}/`, roots)
        ended.set(index, null)
      } catch (failure) {
        if (!(failure instanceof NestedFailure)) throw failure
        ended.set(index, failure.outcome.error)
      }
    }
    return branchesResult(plan, step.onError, ended)
  }

  async #step(step: CompiledStep<StepKind>, path: string, roots: Roots): Promise<void> {
    const inside: Inside = {
      runSteps: (list) => this.#walk(stepsOf(list), `${path}/`, roots),
      runBranches: (plan) => this.#branches(step, path, roots, plan),
    }
    const isPinned = Object.hasOwn(this.#trial.pins, step.id)
    const outcome: Outcome = isPinned
      ? pinnedOutcome(step, this.#trial.pins[step.id])
      : (await this.#perform(step, path, roots, inside)).outcome
    const settled = await this.settle(outcome, path)
    if (!isPinned) this.nested.set(step.id, settled)
    const { output, error } = settled
    const readable = error ? { ...(isObject(output) ? output : null), error } : output
    ;(roots['steps'] as Record<string, unknown>)[step.id] = readable
    if (outcome.type === 'assign') Object.assign(roots['vars'] as object, outcome.output)
    if (outcome.type === 'stop') throw new Stopped()
    if (error && step.onError === 'fail') {
      const named = 'step' in error ? error : { ...error, step: step.id }
      throw new NestedFailure({ type: 'failed', error: named, output, shown: { output: settled.shown } })
    }
  }
}

/** A step that is tested gives away URLs that lead nowhere: no run waits for an answer. */
function withStandIns({ callbacks }: CompiledStep<StepKind>, roots: Roots, ports: EnginePorts): Roots {
  if (callbacks.length === 0) return roots
  const url = ports.callbacks.urlOf('test', false)
  const urls = Object.fromEntries(callbacks.map((id) => [id, { url }]))
  return Object.assign(Object.create(null), roots, { callbacks: urls })
}
