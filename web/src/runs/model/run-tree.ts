// The steps of a run as the tree they are: branches hold steps, loops hold rounds that hold steps.
import type { StepStatus } from '../../api/api-types.ts'
import { isObject } from '../../flow-model/is-object.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { parentOf, type RoundPlace, roundPath } from './step-path.ts'

/** What the pages need of a step; the API's steps have more. */
export interface TimedStep {
  path: string
  id: string
  kind: string
  status: StepStatus
  attempt: number
  startedAt: string
  finishedAt: string | null
  /** When it goes on, or is tried again. */
  resumeAt?: string | null
  input: unknown
  output: unknown
  /** Of a branch or loop it names the step inside that failed. */
  error: { code: string; message: string; step?: string } | null
}

export interface StepNode<S extends TimedStep = TimedStep> {
  step: S
  /** In branches; steps of earlier attempts come first. */
  children: StepNode<S>[]
  /** Null where the step is no loop. */
  loop: LoopNode<S> | null
}

export interface LoopNode<S extends TimedStep = TimedStep> {
  /** The rounds whose steps are known, by attempt and index. */
  rounds: Round<S>[]
  byPath: Map<string, Round<S>>
  /** All rounds of the last attempt that are known of, also those whose steps are not here. */
  total: number
  failed: number
}

export interface Round<S extends TimedStep = TimedStep> extends RoundPlace {
  path: string
  steps: StepNode<S>[]
}

/** In the order in which they began. Ids in `continues` may fail without failing what is around them. */
export function runTree<S extends TimedStep>(
  steps: readonly S[],
  continues: ReadonlySet<string> = new Set(),
): StepNode<S>[] {
  const nodes = new Map<string, StepNode<S>>()
  const roots: StepNode<S>[] = []
  for (const step of steps)
    nodes.set(step.path, {
      step,
      children: [],
      loop: stepKind(step.kind).repeats ? { rounds: [], byPath: new Map(), total: 0, failed: 0 } : null,
    })
  for (const node of nodes.values()) {
    const parent = parentOf(node.step.path)
    const around = parent && nodes.get(parent.path)
    if (!around) roots.push(node)
    else if (parent.round !== null && around.loop)
      roundIn(around.loop, { loop: parent.path, attempt: parent.attempt, index: parent.round }).steps.push(node)
    else around.children.push(node)
  }
  for (const node of nodes.values()) if (node.loop) countRounds(node.step, node.loop, continues)
  return roots
}

function roundIn<S extends TimedStep>(loop: LoopNode<S>, place: RoundPlace): Round<S> {
  const path = roundPath(place)
  let round = loop.byPath.get(path)
  if (!round) {
    round = { ...place, path, steps: [] }
    loop.byPath.set(path, round)
    loop.rounds.push(round)
  }
  return round
}

function countRounds<S extends TimedStep>(step: S, loop: LoopNode<S>, continues: ReadonlySet<string>): void {
  // Rounds that run at once begin in any order.
  loop.rounds.sort((a, b) => a.attempt - b.attempt || a.index - b.index)
  const last = loop.rounds.filter(({ attempt }) => attempt === step.attempt)
  const said = Math.max(numberAt(step.output, 'count'), numberAt(step.input, 'count'))
  loop.total = Math.max(said, (last.at(-1)?.index ?? -1) + 1)
  loop.failed = Math.max(
    roundErrors(step).length,
    last.filter((round) => roundStatus(round, continues) === 'failed').length,
  )
}

/** A round has no entry of its own to look at: it is as its steps are. */
export function roundStatus<S extends TimedStep>(
  round: Round<S>,
  continues: ReadonlySet<string> = new Set(),
): StepStatus {
  const all = round.steps.map(({ step }) => step)
  if (all.some(({ status, id }) => status === 'failed' && !continues.has(id))) return 'failed'
  for (const status of ['running', 'waiting', 'cancelled'] as const)
    if (all.some((step) => step.status === status)) return status
  return 'succeeded'
}

export interface RoundError {
  index: number
  /** It names the step that failed. */
  error: { code: string; message: string; step?: string }
}

/** The rounds that failed while the loop went on, as its output lists them. */
export function roundErrors(step: TimedStep): RoundError[] {
  const errors = isObject(step.output) ? step.output['errors'] : null
  return Array.isArray(errors) ? (errors as RoundError[]) : []
}

export function numberAt(value: unknown, key: string): number {
  const number = isObject(value) ? value[key] : null
  return typeof number === 'number' && Number.isFinite(number) ? number : 0
}
