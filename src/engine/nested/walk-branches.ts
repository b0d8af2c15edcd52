// Runs the branches of a parallel step at the same time, and cancels those that no longer count.
import type { CompiledStep } from '../../flow/compile.ts'
import { cancelEntry, nestedBase } from '../journal-entries.ts'
import { NestedFailure } from '../perform-step.ts'
import type { JournalEntry } from '../ports/run-journal.ts'
import type { Roots } from '../run-bindings.ts'
import type { BranchesPlan, BranchesResult, StepError, StepKind } from '../step-kind.ts'
import { BranchCancelled, Parked, Stopped } from '../walk-signals.ts'
import { branchRoots, Cancellation, cancellationOf, leaveResults, throwIfCancelled } from './branch-roots.ts'
import { Lanes } from './lanes.ts'
import { type RoundWalk, recordRound, restoreNested, sleeperOf, stepsOf } from './walk-rounds.ts'

export interface BranchWalk extends RoundWalk {
  signal(): AbortSignal
}

/** Runs the branches. `resumed`: an earlier claim has begun them. */
export async function walkBranches(
  walk: BranchWalk,
  step: CompiledStep<StepKind>,
  entry: JournalEntry,
  resumed: boolean,
  roots: Roots,
  plan: BranchesPlan,
): Promise<BranchesResult> {
  const branches = new Branches(walk, step, entry, roots, plan)
  // The opening entry lets a later claim resume the branches.
  walk.journalOpening(entry, roots)
  if (resumed) await branches.takeRecorded()
  return branches.run()
}

class Branches {
  readonly #walk: BranchWalk
  readonly #step: CompiledStep<StepKind>
  readonly #entry: JournalEntry
  readonly #base: string
  readonly #roots: Roots
  readonly #plan: BranchesPlan
  readonly #cancellations: readonly Cancellation[]
  /** The roots of the branches that this walk has run. */
  readonly #walked = new Map<number, Roots>()
  /** The errors of the branches that have ended, null for those that have succeeded. */
  readonly #ended = new Map<number, StepError | null>()
  #signal: unknown = null

  constructor(walk: BranchWalk, step: CompiledStep<StepKind>, entry: JournalEntry, roots: Roots, plan: BranchesPlan) {
    this.#walk = walk
    this.#step = step
    this.#entry = entry
    this.#base = nestedBase(entry)
    this.#roots = roots
    this.#plan = plan
    this.#cancellations = plan.branches.map(() => new Cancellation(cancellationOf(roots), walk.signal()))
  }

  /** Takes the branches that have ended from the journal. */
  async takeRecorded(): Promise<void> {
    const { writer, ports, run } = this.#walk
    await writer.flush()
    for (const { index, error } of await ports.journal.rounds(run.id, this.#base)) this.#ended.set(index, error)
  }

  async run(): Promise<BranchesResult> {
    const { writer } = this.#walk
    const resumed = this.#ended.size > 0
    const lanes = new Lanes({ settled: () => writer.flush(), sleepUntil: sleeperOf(this.#walk.ports) })
    const open = this.#isDecided ? [] : [...this.#plan.branches.keys()].filter((index) => !this.#ended.has(index))
    await Promise.all(
      open.map((index) =>
        lanes.run(() => lanes.untilDone(() => this.#branch(index))).catch((signal: unknown) => this.#note(signal)),
      ),
    )
    throwIfCancelled(this.#roots)
    const stopped = this.#signal instanceof Stopped
    if (this.#isDecided || stopped) await this.#cancelWaiting()
    // A decided step ends at once, without waiting for the branches that are parked.
    if (this.#signal && !(this.#isDecided && this.#signal instanceof Parked)) throw this.#signal
    if (resumed) await restoreNested(this.#walk, this.#entry, this.#roots)
    for (const branch of this.#walked.values()) leaveResults(branch, this.#roots)
    return branchesResult(this.#plan, this.#step.onError, this.#ended)
  }

  async #branch(index: number): Promise<void> {
    const inner = branchRoots(this.#roots, this.#cancellations[index]!)
    this.#walked.set(index, inner)
    let error: StepError | null = null
    try {
      await this.#walk.walkSteps(stepsOf(this.#plan.branches[index]!.steps), `${this.#base}/`, inner)
    } catch (failure) {
      if (!(failure instanceof NestedFailure)) throw failure
      error = failure.outcome.error
    }
    throwIfCancelled(inner)
    this.#ended.set(index, error)
    if (this.#isDecided) this.#cancelOthers(index)
    await recordRound(this.#walk, this.#step, this.#base, { index, output: null, error })
  }

  get #isDecided(): boolean {
    return isDecided(this.#plan, this.#step.onError, this.#ended)
  }

  #cancelOthers(except: number | null): void {
    for (const [index, cancellation] of this.#cancellations.entries()) if (index !== except) cancellation.cancel()
  }

  #note(signal: unknown): void {
    if (signal instanceof BranchCancelled) return
    // A stop ends the run: nothing in the other branches counts.
    if (signal instanceof Stopped) this.#cancelOthers(null)
    // The first to park is the first that may go on; whatever else ends the walk counts more.
    if (this.#signal === null || (this.#signal instanceof Parked && !(signal instanceof Parked))) this.#signal = signal
  }

  /** Ends the steps that wait in cancelled branches; those that ran have ended themselves. */
  async #cancelWaiting(): Promise<void> {
    const { recorded, writer, ports } = this.#walk
    await this.#walk.waits.callbacks.cancelUnder(`${this.#base}/`)
    for (const entry of recorded.values())
      if (entry.path.startsWith(`${this.#base}/`) && (entry.status === 'waiting' || entry.status === 'running'))
        writer.add(cancelEntry(entry, ports.now()))
  }
}

type Ended = ReadonlyMap<number, StepError | null>
type OnError = CompiledStep<StepKind>['onError']

/** Returns whether the branches that have not ended no longer count. */
export function isDecided({ finish }: BranchesPlan, onError: OnError, branches: Ended): boolean {
  const ended = [...branches.values()]
  if (finish === 'first') return ended.includes(null)
  return onError === 'fail' && ended.some((error) => error !== null)
}

/** Returns what came of the step: `branches` has the errors of those that have ended, null for those that have succeeded. */
export function branchesResult(plan: BranchesPlan, onError: OnError, branches: Ended): BranchesResult {
  const result: BranchesResult = { finished: [], errors: [], failure: null }
  for (const [index, { name }] of plan.branches.entries()) {
    const error = branches.get(index)
    if (error === null) result.finished.push(name)
    else if (error) result.errors.push({ branch: name, error })
  }
  const failed = plan.finish === 'first' ? result.finished.length === 0 : result.errors.length > 0
  if (failed && onError === 'fail') result.failure = [...branches.values()].find((error) => error !== null)!
  return result
}
