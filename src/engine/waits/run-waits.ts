// What a run waits for besides a time: runs that its steps have called, and callbacks.
import type { CompiledCallbacks } from '../../flow/callbacks/compile.ts'
import type { JournalWriter } from '../journal-writer.ts'
import type { EnginePorts } from '../ports/engine-ports.ts'
import type { ClaimedRun, JournalEntry, RunProgress } from '../ports/run-journal.ts'
import { type Roots, stepBindings } from '../run-bindings.ts'
import type { AwaitedCallback, Outcome } from '../step-kind.ts'
import { Parked } from '../walk-signals.ts'
import { RunCallbacks } from './run-callbacks.ts'
import { RunCalls } from './run-calls.ts'

export class RunWaits {
  readonly calls: RunCalls
  readonly callbacks: RunCallbacks

  constructor(run: ClaimedRun, callbacks: CompiledCallbacks | null, ports: EnginePorts) {
    this.calls = new RunCalls(ports, run.id)
    this.callbacks = new RunCallbacks(run, callbacks, {
      callbacks: ports.callbacks,
      now: ports.now,
      bindings: (roots, path) => stepBindings(roots, ports.hashing, run.id, path, ports.now()),
    })
  }

  /** Returns what may have happened already when the run parks, and what makes it due. */
  awaits(writer: JournalWriter, now: number): RunProgress['awaits'] {
    const runs = this.calls.awaited(writer)
    const callbacks = [...this.callbacks.awaited]
    return runs.length || callbacks.length ? { runs, callbacks, now } : undefined
  }

  /** Returns what a step that comes to its callback goes on with, or the time until which it waits. */
  arrive(entry: JournalEntry, awaited: AwaitedCallback, roots: Roots): Promise<Outcome | number> {
    entry.decision = awaited
    return this.callbacks.settle(entry, awaited, roots, true)
  }

  /** Returns the outcome of a step that waited, with its entry. Throws Parked if it has to wait on. */
  async resultOf(earlier: JournalEntry, roots: Roots): Promise<[JournalEntry, Outcome]> {
    if (earlier.outcome === 'call') return this.calls.resultOf(earlier)
    const settled = await this.callbacks.settle(earlier, earlier.decision as AwaitedCallback, roots, false)
    if (typeof settled === 'number') throw new Parked(settled, true)
    return [{ ...earlier }, settled]
  }
}
