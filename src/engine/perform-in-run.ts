// Runs one step as part of a run: gives it the run's context, and tracks it while it runs.
import { type CompiledStep, SECRET_MASK } from '../flow/compile.ts'
import { filesOfRun } from './files/files-of-run.ts'
import { cancelEntry, closeEntry, nestedBase } from './journal-entries.ts'
import { cancellationOf, throwIfCancelled } from './nested/branch-roots.ts'
import { type BranchWalk, walkBranches } from './nested/walk-branches.ts'
import { stepsOf, walkRounds } from './nested/walk-rounds.ts'
import { type Performed, PINNED, performStep, pinnedOutcome } from './perform-step.ts'
import type { JournalEntry } from './ports/run-journal.ts'
import type { RunTrace, StepTrace } from './ports/tracing.ts'
import { type Roots, stepBindings } from './run-bindings.ts'
import { roomOf, standingOf } from './run-requests.ts'
import type { Outcome, StepContext, StepKind } from './step-kind.ts'
import { PatientConnections } from './waits/patient-connections.ts'
import { beginCall } from './waits/run-calls.ts'
import { BranchCancelled, Stopped } from './walk-signals.ts'

export interface RunningStep {
  entry: JournalEntry
  /** Whether the journal already says that the step is running. */
  noted: boolean
  trace: StepTrace | null
}

/** The walk that runs the step. */
export interface StepWalk extends BranchWalk {
  readonly trace: RunTrace | null
  readonly running: RunningStep[]
  /** Ends the walk because another process has claimed the run. */
  cancel(): void
}

/** Records the steps that have been running since before `before`. */
export async function noteRunning({ running, writer }: StepWalk, before: number): Promise<void> {
  const long = running.filter(({ entry, noted }) => !noted && entry.startedAt < before)
  if (long.length === 0) return
  for (const one of long) {
    one.noted = true
    writer.add({ ...one.entry })
  }
  await writer.write('running')
}

/** Returns no promise where the step is done at once. */
export function performInRun(
  walk: StepWalk,
  step: CompiledStep<StepKind>,
  entry: JournalEntry,
  interrupted: boolean,
  roots: Roots,
): Outcome | Promise<Outcome> {
  throwIfCancelled(roots)
  if (step.pinned) {
    entry.logs = [PINNED]
    return pinnedOutcome(step, step.pinned.output)
  }
  const running = { entry, noted: false, trace: walk.trace?.step(entry) ?? null }
  walk.running.push(running)
  walk.ports.begins(step.kind.kind, walk.run.id)
  const connections = new PatientConnections(walk.ports.connections, walk.writer)
  try {
    const performed = performStep(
      step,
      stepBindings(roots, walk.ports.hashing, walk.run.id, entry.path, entry.startedAt),
      connections,
      (settings, secrets, showInput) =>
        contextOf(walk, step, running, interrupted, roots, {
          settings: settings as never,
          secrets,
          showInput,
          connections,
        }),
      (error) => walk.ports.bug(error, walk.run),
      {
        flowId: walk.run.flowId,
        files: () => filesOfRun(walk.ports, walk.run.id),
        room: () => roomOf(walk.ports, walk.run.id),
      },
    )
    if (performed instanceof Promise || performed.outcome.type === 'call')
      return endLater(walk, running, roots, performed)
    entry.input = performed.input
    throwIfCancelled(roots)
    leave(walk, running, performed.outcome)
    return performed.outcome
  } catch (signal) {
    throw cutShort(walk, running, signal)
  }
}

async function endLater(
  walk: StepWalk,
  running: RunningStep,
  roots: Roots,
  performing: Performed | Promise<Performed>,
): Promise<Outcome> {
  const { entry, trace } = running
  try {
    const { outcome, input } = await performing
    entry.input = input
    throwIfCancelled(roots)
    const begun = outcome.type === 'call' ? await beginCall(walk, entry, outcome, trace) : outcome
    leave(walk, running, begun)
    return begun
  } catch (signal) {
    throw cutShort(walk, running, signal)
  }
}

/** `outcome`: null if the step has none that counts. */
function leave(walk: StepWalk, running: RunningStep, outcome: Outcome | null): void {
  running.trace?.ended(outcome)
  walk.running.splice(walk.running.indexOf(running), 1)
}

/** Ends a step that a signal has cut short. Returns the signal. */
function cutShort(walk: StepWalk, running: RunningStep, signal: unknown): unknown {
  leave(walk, running, null)
  // A stop in a nested step also ends the steps around it.
  if (signal instanceof Stopped) walk.writer.add(closeEntry(running.entry, 'done', walk.ports.now()))
  if (signal instanceof BranchCancelled) cancelStep(walk, running.entry)
  return signal
}

/** Ends a step whose branch was cancelled while it ran. */
function cancelStep(walk: StepWalk, entry: JournalEntry): void {
  const cancelled = cancelEntry(entry, walk.ports.now())
  walk.recorded.set(entry.path, cancelled)
  walk.writer.add(cancelled)
}

function contextOf(
  walk: StepWalk,
  step: CompiledStep<StepKind>,
  running: RunningStep,
  interrupted: boolean,
  roots: Roots,
  given: Pick<StepContext<never>, 'settings' | 'secrets' | 'showInput' | 'connections'>,
): StepContext<never> {
  const { entry } = running
  return {
    ...given,
    runId: walk.run.id,
    path: entry.path,
    now: entry.startedAt,
    hops: walk.run.hops,
    interrupted,
    http: running.trace?.http ?? walk.ports.http,
    replyRoom: () => roomOf(walk.ports, walk.run.id),
    standing: () => standingOf(walk.ports, walk.writer, () => walk.cancel()),
    flowId: walk.run.flowId,
    files: filesOfRun(walk.ports, walk.run.id),
    sandbox: walk.ports.sandbox,
    log: (line) => {
      entry.logs = [...(entry.logs ?? []), step.secrets?.result ? SECRET_MASK : line]
    },
    holdsSecret: (text) => walk.ports.holdsSecret(text, walk.run.flowId),
    signal: () => cancellationOf(roots)?.signal ?? walk.signal(),
    announce: async () => {
      running.noted = true
      walk.writer.add({ ...entry })
      await walk.writer.write('running')
    },
    decide: (choose) => {
      if (entry.decision === null) {
        entry.decision = choose()
        running.noted = true
        walk.journalOpening(entry, roots)
      }
      return entry.decision as ReturnType<typeof choose>
    },
    runSteps: (list) => walk.walkSteps(stepsOf(list), `${nestedBase(entry)}/`, roots),
    runBranches: (plan) => walkBranches(walk, step, entry, interrupted, roots, plan),
    runRounds: (plan) => walkRounds(walk, step, entry, interrupted, roots, plan),
  }
}
