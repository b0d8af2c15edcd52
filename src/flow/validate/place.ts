// Says what a template may refer to at a place of a document, and words the problems of those that may not.
import type { KindSchema } from '../document.ts'
import { quoted } from '../issue.ts'
import type { LoopLists } from '../shape/data-shapes.ts'
import { triggerKinds } from '../triggers/index.ts'
import type { TriggerKind } from '../triggers/trigger-kind.ts'
import type { Names } from './variables-beside.ts'

/** The ids of steps whose results may be available: those of a list, and those around it. */
export class Visible {
  readonly #around: Visible | null
  readonly #ids = new Set<string>()

  constructor(around: Visible | null) {
    this.#around = around
  }

  add(id: string): void {
    this.#ids.add(id)
  }

  has(id: string): boolean {
    return this.#ids.has(id) || (this.#around?.has(id) ?? false)
  }
}

/** What a template at a place may refer to. */
export interface Place {
  roots: ReadonlySet<string>
  steps: { has(id: string): boolean }
  loops: LoopLists
  /** The variables that steps set at the same time, in other branches. */
  setBeside: Names
  answersCaller: boolean
  /** Returns why the callback URL of a step cannot be read here; null if it can. */
  callbackProblem(id: string): string | null
  /** Whether another run gets the value. */
  startsRun?: boolean
  /** Whether the value is a label, which is shown and searched. */
  isLabel?: boolean
  /** Whether the field of a connection that is named here may not be there yet. */
  arrivesLater?: boolean
  /** The path of the setting by which the document allows the value here to be shown. */
  revealedBy: string | null
}

/** Returns the place of a setting, which its kind may have rules of its own for. */
export function placeAt(kind: KindSchema | undefined, setting: string, place: Place): Place {
  const special = kind?.placeOf?.(setting)
  if (!special) return place
  const roots = new Set(special.only ?? [...place.roots, ...(special.besides ?? [])])
  return { ...place, roots, answersCaller: place.answersCaller || special.isPublic === true }
}

/** Why no callback can be read at a place that belongs to no step, or to many rounds. */
export const NO_CALLBACKS = 'The URL of a callback can be read only by steps before the one that waits for it.'

/** The roots that every run has, beside that of its trigger. */
export const COMMON_ROOTS = ['steps', 'vars', 'env', 'config', 'connections', 'run', 'flow']
/** The roots that steps have besides which run when a run has failed. */
export const FAILURE_ROOTS = ['error', 'failed']
/** The root of each trigger kind, with the kind. */
export const TRIGGER_ROOTS: ReadonlyMap<string, TriggerKind> = new Map(
  [...triggerKinds.values()].map((kind) => [kind.root, kind]),
)

export const unreachable = (end: unknown): string =>
  `No run gets here: ${typeof end === 'string' && end !== '' ? quoted(end) : 'a step before it'} always ends the run. Move the step before it, or delete it.`

export function notHere(root: string, place: Place, stepRoots: ReadonlySet<string>): string {
  if (root === 'loop' || root === 'loops') return `${root} exists only inside a loop.`
  const offering = TRIGGER_ROOTS.get(root)
  if (offering && !stepRoots.has(root))
    return `${root} exists only in flows whose trigger has the kind ${offering.kind}.`
  if (root === 'callback') return 'callback exists only in the when of a callback.'
  if (root === 'callbacks')
    return 'callbacks exists only in steps that stand before the wait, and in a reply that is sent at once.'
  if (root === 'error') return 'error exists only in the error reply of the trigger and in onFailure.'
  if (root === 'failed') return 'failed exists only in onFailure.'
  return `${root} is not known here yet; ${[...place.roots].join(', ')} are.`
}
