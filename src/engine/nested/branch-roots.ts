// The roots of a branch of a parallel step. They carry what cancels the branch, so that loops and steps inside it find it too.
import type { Roots } from '../run-bindings.ts'
import { BranchCancelled } from '../walk-signals.ts'

const CANCELLATION = Symbol('cancellation')

/** Ends the steps of one branch, and their requests. */
export class Cancellation {
  readonly #outer: Cancellation | null
  readonly #own = new AbortController()
  /** Aborts when the branch is cancelled or the walk ends. */
  readonly signal: AbortSignal

  constructor(outer: Cancellation | null, walk: AbortSignal) {
    this.#outer = outer
    this.signal = AbortSignal.any([outer?.signal ?? walk, this.#own.signal])
  }

  cancel(): void {
    this.#own.abort()
  }

  get isCancelled(): boolean {
    return this.#own.signal.aborted || (this.#outer?.isCancelled ?? false)
  }
}

/** Returns roots whose steps see what stands before the parallel step, and not what the other branches leave. */
export function branchRoots(outer: Roots, cancellation: Cancellation): Roots {
  const steps = Object.assign(Object.create(null), outer['steps'])
  return Object.assign(Object.create(null), outer, { steps, [CANCELLATION]: cancellation })
}

/** Returns what cancels the innermost branch around a step; null outside of branches. */
export const cancellationOf = (roots: Roots): Cancellation | null =>
  (roots as { [CANCELLATION]?: Cancellation })[CANCELLATION] ?? null

export function throwIfCancelled(roots: Roots): void {
  if (cancellationOf(roots)?.isCancelled) throw new BranchCancelled()
}

/** Makes the results of a branch readable after the parallel step. */
export function leaveResults(branch: Roots, outer: Roots): void {
  const results = outer['steps'] as Record<string, unknown>
  for (const [id, result] of Object.entries(branch['steps'] as object)) if (results[id] !== result) results[id] = result
}
