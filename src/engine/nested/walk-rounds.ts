// Connects the rounds of a loop to the walk: where their steps are journalled, and what they can read and leave.
import { type CompiledStep, type CompiledSteps, SECRET_MASK } from '../../flow/compile.ts'
import type { StepListHandle } from '../../flow/schema.ts'
import { closeEntry, exposeOutput, nestedBase } from '../journal-entries.ts'
import type { JournalWriter } from '../journal-writer.ts'
import type { EnginePorts } from '../ports/engine-ports.ts'
import { type ClaimedRun, type JournalEntry, ROUND } from '../ports/run-journal.ts'
import { type Roots, roundRoots, stepBindings } from '../run-bindings.ts'
import type { RoundPlan, RoundsResult, StepKind } from '../step-kind.ts'
import type { RunWaits } from '../waits/run-waits.ts'
import { type Round, type RoundRecord, runRounds } from './run-rounds.ts'

/** The journalled decision of a loop whose rounds share the results of their steps. */
const SHARED_ROUNDS = 'shared rounds'

/** How often a lane looks whether what it waits for has happened, as long as others keep the run in this process. */
const LOOK_EVERY_MS = 1_000

/** Returns a sleeper that wakes at a time, or soon. */
export const sleeperOf =
  ({ sleepUntil, now }: EnginePorts) =>
  (time: number | null) =>
    sleepUntil(time ?? now() + LOOK_EVERY_MS)

/** The walk that the loop is part of. */
export interface RoundWalk {
  readonly run: ClaimedRun
  readonly ports: EnginePorts
  readonly writer: JournalWriter
  /** Journal entries by path. */
  readonly recorded: Map<string, JournalEntry>
  newEntry(step: CompiledStep<StepKind>, path: string): JournalEntry
  journalOpening(entry: JournalEntry, roots: Roots): void
  walkSteps(steps: readonly CompiledStep<StepKind>[], prefix: string, roots: Roots): Promise<void>
  readonly waits: RunWaits
  /** Ends a round: writes the gathered outcomes if there are many, and throws if the run has ended. */
  roundEnded(): Promise<void>
}

export const stepsOf = (list: StepListHandle) => (list as CompiledSteps).steps as readonly CompiledStep<StepKind>[]

/** Runs the rounds of a loop. `resumed`: an earlier claim has begun the loop. */
export async function walkRounds(
  walk: RoundWalk,
  step: CompiledStep<StepKind>,
  entry: JournalEntry,
  resumed: boolean,
  roots: Roots,
  plan: RoundPlan,
): Promise<RoundsResult> {
  const { ports, writer } = walk
  const runId = walk.run.id
  const base = nestedBase(entry)
  const { journal, hashing, now } = ports
  // Rounds of `while` share the results of their steps; rounds over a list do not.
  const own = plan.items !== null
  const bindingsOf = (round: Round, of: Roots) => stepBindings(of, hashing, runId, `${base}[${round.index}]`, now())
  if (!own && entry.decision === null) entry.decision = SHARED_ROUNDS
  // The opening entry lets a later claim resume the loop.
  walk.journalOpening(entry, roots)
  const result = await runRounds(plan, step.onError === 'continue', {
    sleepUntil: sleeperOf(ports),
    finished: async () => {
      if (!resumed) return null
      await writer.flush()
      return journal.rounds(runId, base)
    },
    bindingsBefore: (round) => bindingsOf(round, roundRoots(roots, step.id, round, own)),
    settled: () => writer.flush(),
    showShared: () => exposeRounds(walk, base, roots),
    walk: async (round, begunBefore) => {
      const prefix = `${base}[${round.index}]/`
      if (begunBefore)
        for (const earlier of await journal.entriesUnder(runId, prefix)) walk.recorded.set(earlier.path, earlier)
      const inner = roundRoots(roots, step.id, round, own)
      await walk.walkSteps(stepsOf(plan.steps), prefix, inner)
      return bindingsOf(round, inner)
    },
    record: (record) => recordRound(walk, step, base, record),
  })
  // A failed loop ends without the rounds that wait.
  if (result.failure) await walk.waits.callbacks.cancelUnder(`${base}[`)
  return result
}

/** Records that a round, or a branch, has ended. */
export async function recordRound(
  walk: RoundWalk,
  step: CompiledStep<StepKind>,
  base: string,
  { index, output, error }: RoundRecord,
): Promise<void> {
  const path = `${base}[${index}]`
  const entry = walk.newEntry(step, path)
  if (step.secrets?.result) entry.shown = { output: SECRET_MASK }
  const outcome = error ? 'failed' : 'done'
  walk.writer.add(closeEntry({ ...entry, kind: ROUND, output, error }, outcome, walk.ports.now()))
  for (const known of walk.recorded.keys()) if (known.startsWith(`${path}/`)) walk.recorded.delete(known)
  await walk.roundEnded()
}

/** Restores the results of nested steps along with a step that is taken from the journal. */
export async function restoreNested(walk: RoundWalk, entry: JournalEntry, roots: Roots): Promise<void> {
  const base = nestedBase(entry)
  for (const nested of walk.recorded.values())
    if (nested.path.startsWith(`${base}/`) && nested.outcome) {
      exposeOutput(nested, roots)
      if (nested.decision === SHARED_ROUNDS) await exposeRounds(walk, nestedBase(nested), roots)
    }
  if (entry.decision === SHARED_ROUNDS) await exposeRounds(walk, base, roots)
}

/** Exposes what the rounds of a `while` have left: the latest result of each step. */
async function exposeRounds({ run, ports }: RoundWalk, base: string, roots: Roots): Promise<void> {
  for (const entry of await ports.journal.latestOfRounds(run.id, base)) exposeOutput(entry, roots)
}
