// What a template at some place of the document may refer to, as publishing will judge it (src/flow/validate/validate.ts).
import type { StepDocument } from '../../../../src/flow/document.ts'
import { stepLists } from '../../../../src/flow/step-lists.ts'
import { CallbackUse } from '../../../../src/flow/validate/callback-use.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { type NestedList, stepsOf } from '../../step-kinds/step-kind.ts'
import { triggerKind } from '../../step-kinds/trigger-kinds.ts'
import { type EditedFlow, isInside, nestedLists, ON_FAILURE, type StepPlace, stepAt } from '../flow-tree.ts'

export interface Visible {
  roots: readonly string[]
  /** Steps that may have run before, in reading order. */
  steps: readonly StepDocument[]
  /** The loops around the place, the innermost last. */
  loops: readonly StepPlace[]
  /** Names of the variables that steps before it set. */
  vars: readonly string[]
  /** Ids of the steps whose callback URL can be given away. */
  callbacks: readonly string[]
}

/** What a template of a step sees, beside the root of the trigger. */
const RUN_ROOTS = ['steps', 'vars', 'env', 'config', 'connections', 'run', 'flow']
const runRoots = ({ trigger }: EditedFlow): string[] => [triggerKind(trigger)?.root ?? 'webhook', ...RUN_ROOTS]

/** A reply to the caller may hold no secrets, unless the flow says so. */
const inReply = (roots: string[], reveals: boolean) =>
  reveals ? roots : roots.filter((root) => root !== 'connections' && root !== 'env')

/** `path` is the pointer of the setting that holds the template. */
export function visibleAt(document: EditedFlow, path: string): Visible {
  if (isInside(path, '/trigger')) return inTrigger(document, path)
  const seen: StepDocument[] = []
  const vars = new Set<string>()
  const loops: StepPlace[] = []
  const handles = isInside(path, ON_FAILURE)
  // What the run had when it failed.
  if (handles) walk(document.steps, '/steps', path, seen, vars, loops, document)
  const [list, at] = handles ? [stepsOf(document.onFailure), ON_FAILURE] : [document.steps, '/steps']
  const owner = walk(list, at, path, seen, vars, loops, document)
  const roots = [
    ...runRoots(document),
    ...(handles ? ['error', 'failed'] : []),
    ...(loops.length ? ['loop', 'loops'] : []),
  ]
  const callbacks = owner && loops.at(-1)?.step !== owner.step ? readableCallbacks(document, owner.step) : []
  if (callbacks.length) roots.push('callbacks')
  const offered = owner ? rootsFor(owner.step, path.slice(owner.at.length), roots) : roots
  const has = (root: string) => offered.includes(root)
  return {
    roots: offered,
    steps: has('steps') ? seen : [],
    loops: has('loops') ? loops : [],
    vars: has('vars') ? [...vars] : [],
    callbacks: has('callbacks') ? callbacks : [],
  }
}

function rootsFor({ kind, reveal }: StepDocument, setting: string, roots: string[]): string[] {
  const { answersCaller, rootsIn } = stepKind(kind)
  if (answersCaller) return inReply(roots, reveal === true)
  return rootsIn?.(setting, roots) ?? roots
}

/** Ids of the waits whose URL the step may read. What belongs to no round, as the condition of a loop, reads none. */
function readableCallbacks(document: EditedFlow, step: StepDocument): string[] {
  const use = callbackUse(document)
  return [...use.names].filter((id) => use.problem(id, step) === null)
}

/** Ids of the waits whose URL a reply that is sent at once may give away. */
function callbacksInReply(document: EditedFlow): string[] {
  const use = callbackUse(document)
  return [...use.names].filter((id) => use.problemInReply(id) === null)
}

function callbackUse(document: EditedFlow): CallbackUse {
  const use = new CallbackUse(KINDS, (outer) => {
    const step = outer as StepDocument
    return nestedLists(step).map(({ steps, role }) => ({ list: steps, view: viewOf(step, role) }))
  })
  for (const { list, path } of stepLists(document)) use.collect(list as StepDocument[], path)
  return use
}

const KINDS = {
  get: (kind: string) => ({ awaitsCallback: (step: object) => (stepKind(kind).awaits?.(step) ?? null) !== null }),
}

const viewOf = (step: StepDocument, role: NestedList['role']) =>
  stepKind(step.kind).repeats?.(step) ?? (role === 'lane' ? 'beside' : 'none')

function inTrigger(document: EditedFlow, path: string): Visible {
  const response = document.trigger['response'] as { mode?: unknown; reveal?: unknown } | undefined
  const replies = isInside(path, '/trigger/response')
  const whole = isInside(path, '/trigger/response/error') || (replies && response?.mode === 'finished')
  const all = { steps: everyStep(document.steps), vars: new Set<string>() }
  for (const step of all.steps) addVars(step, all.vars)
  const callbacks = replies && !whole ? callbacksInReply(document) : []
  const roots = whole
    ? [
        ...inReply(runRoots(document), response?.reveal === true),
        ...(isInside(path, '/trigger/response/error') ? ['error'] : []),
      ]
    : isInside(path, '/trigger/labels')
      ? (triggerKind(document.trigger)?.labelRoots ?? ['webhook', 'config', 'flow'])
      : path === '/trigger/auth/signed' || path === '/trigger/auth/timestamp'
        ? ['webhook', 'env', 'config', 'connections']
        : isInside(path, '/trigger/auth') || isInside(path, '/trigger/sender')
          ? ['env', 'config', 'connections']
          : replies
            ? ['webhook', 'config', 'run', 'flow', ...(callbacks.length ? ['callbacks'] : [])]
            : ['webhook', 'env', 'config', 'flow']
  return { roots, steps: whole ? all.steps : [], loops: [], vars: whole ? [...all.vars] : [], callbacks }
}

/** Walks in order of execution down to `path`; the step that owns the setting, once it is reached. */
function walk(
  list: StepDocument[],
  at: string,
  path: string,
  seen: StepDocument[],
  vars: Set<string>,
  loops: StepPlace[],
  document: EditedFlow,
): { step: StepDocument; at: string } | null {
  for (const [index, step] of list.entries()) {
    const here = `${at}/${index}`
    const nested = nestedLists(step)
    if (!isInside(path, here)) {
      for (const left of whatIsLeft(step)) seen.push(left)
      for (const inner of everyStep([step])) addVars(inner, vars)
      continue
    }
    const inside = nested.find(({ key }) => isInside(path, here + key))
    // A loop's condition and what it collects are evaluated inside its rounds.
    const inRound =
      stepKind(step.kind).repeats !== undefined &&
      (inside !== undefined || /^\/(while|collect)(\/|$)/.test(path.slice(here.length)))
    if (inRound) {
      loops.push(stepAt(document, here)!)
      if (Object.hasOwn(step, 'while') || !inside)
        for (const inner of everyStep(bodyOf(step), 'outside each')) seen.push(inner)
      for (const inner of everyStep(bodyOf(step))) addVars(inner, vars)
    }
    if (!inside) return { step, at: here }
    return walk(inside.steps, here + inside.key, path, seen, vars, loops, document)
  }
  return null
}

const bodyOf = (step: StepDocument): StepDocument[] => nestedLists(step)[0]?.steps ?? []

/** What later steps see of a step: itself, and what a branch or the last round of `while` left; rounds of `each` keep theirs. */
const whatIsLeft = (step: StepDocument): StepDocument[] => everyStep([step], 'outside each')

function everyStep(list: StepDocument[], which: 'all' | 'outside each' = 'all'): StepDocument[] {
  return list.flatMap((step) => {
    const hidden = which === 'outside each' && stepKind(step.kind).repeats?.(step) === 'each'
    const inner = hidden ? [] : nestedLists(step).flatMap(({ steps }) => everyStep(steps, which))
    return [...inner, step]
  })
}

function addVars(step: StepDocument, vars: Set<string>): void {
  for (const name of Object.keys(stepKind(step.kind).variables?.(step) ?? {})) vars.add(name)
}
