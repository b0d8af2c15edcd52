// The edits of a flow's steps: each gives a new document and says where the step stands afterwards.
import type { StepDocument } from '../../../src/flow/document.ts'
import { stepKind } from '../step-kinds/index.ts'
import {
  allSteps,
  type EditedFlow,
  isInside,
  nestedLists,
  ON_FAILURE,
  type Position,
  type StepPlace,
  stepAt,
  valueAt,
  withValue,
} from './flow-tree.ts'
import { renamedNotes } from './notes.ts'
import { renamedReferences } from './rename-references.ts'

export interface Edited {
  document: EditedFlow
  /** The pointer of the step that was inserted, moved or changed. */
  path: string
}

const listAt = (document: EditedFlow, list: string): StepDocument[] => {
  const value = valueAt(document, list)
  return Array.isArray(value) ? (value as StepDocument[]) : []
}

export function insertStep(document: EditedFlow, { list, index }: Position, step: StepDocument): Edited {
  const steps = listAt(document, list)
  const at = Math.min(index, steps.length)
  return { document: withValue(document, list, steps.toSpliced(at, 0, step)), path: `${list}/${at}` }
}

/** Steps from a clipboard or a duplicate: ids that are taken are made anew, and so are the references among the steps. */
export function insertCopies(document: EditedFlow, { list, index }: Position, steps: StepDocument[]): Edited {
  const used = new Set(allSteps(document).map(({ step }) => step.id))
  let copy: EditedFlow = { name: '', trigger: {}, steps: structuredClone(steps) }
  for (const { path, step } of allSteps(copy)) {
    const id =
      used.has(step.id) || !step.id ? freshId(step.id || step.kind, new Set([...used, ...idsOf(copy)])) : step.id
    if (id !== step.id) copy = renameStep(copy, path, id)
    used.add(id)
  }
  const present = listAt(document, list)
  const at = Math.min(index, present.length)
  return { document: withValue(document, list, present.toSpliced(at, 0, ...copy.steps)), path: `${list}/${at}` }
}

const idsOf = (document: EditedFlow): string[] => allSteps(document).map(({ step }) => step.id)

export function duplicateStep(document: EditedFlow, path: string): Edited {
  const { step, list, index } = stepAt(document, path)!
  return insertCopies(document, { list, index: index + 1 }, [step])
}

export function deleteStep(document: EditedFlow, path: string): EditedFlow {
  const { list, index } = stepAt(document, path)!
  const left = listAt(document, list).toSpliced(index, 1)
  // An empty otherwise says no more than none; who deletes the last step for failed runs wants what holds without any.
  const goes = left.length === 0 && (list.endsWith('/otherwise') || list === ON_FAILURE)
  return withValue(document, list, goes ? undefined : left)
}

/** Null where the step would land inside itself, or where it is already. */
export function moveStep(document: EditedFlow, path: string, wanted: Position): Edited | null {
  const { step, list, index } = stepAt(document, path)!
  const to = { list: wanted.list, index: Math.min(wanted.index, listAt(document, wanted.list).length) }
  if (isInside(to.list, path)) return null
  if (to.list === list && (to.index === index || to.index === index + 1)) return null
  return insertStep(deleteStep(document, path), afterRemoval({ list, index }, to), step)
}

/** A position as it is once the step at `removed` is gone. */
function afterRemoval(removed: Position, to: Position): Position {
  if (to.list === removed.list) return to.index > removed.index ? { ...to, index: to.index - 1 } : to
  if (!isInside(to.list, removed.list)) return to
  const [at, ...rest] = to.list.slice(removed.list.length + 1).split('/')
  if (Number(at) < removed.index) return to
  return { list: [removed.list, Number(at) - 1, ...rest].join('/'), index: to.index }
}

export type Direction = 'up' | 'down' | 'left' | 'right'

/**
 * Up and down among its neighbours, and out of the step around it at the end. Right is into the branch or loop above it, or into
 * the next case; left is into the case before, or out.
 */
export function moveTowards(document: EditedFlow, path: string, direction: Direction): Edited | null {
  const place = stepAt(document, path)!
  const to = destination(document, place, direction)
  return to && moveStep(document, path, to)
}

function destination(document: EditedFlow, place: StepPlace, direction: Direction): Position | null {
  const { list, index, parent } = place
  const beforeParent = parent && { list: parent.place.list, index: parent.place.index }
  const afterParent = parent && { list: parent.place.list, index: parent.place.index + 1 }
  switch (direction) {
    case 'up':
      return index > 0 ? { list, index: index - 1 } : beforeParent
    case 'down':
      return index + 1 < listAt(document, list).length ? { list, index: index + 2 } : afterParent
    case 'right': {
      const above = index > 0 ? stepAt(document, `${list}/${index - 1}`) : undefined
      const [into] = above ? nestedLists(above.step) : []
      return into ? { list: above!.path + into.key, index: into.steps.length } : column(place, 1)
    }
    case 'left':
      return column(place, -1) ?? afterParent
  }
}

function column({ parent }: StepPlace, by: number): Position | null {
  if (!parent) return null
  const lists = nestedLists(parent.place.step)
  const next = lists[lists.findIndex(({ key }) => key === parent.nested.key) + by]
  return next ? { list: parent.place.path + next.key, index: next.steps.length } : null
}

/** With every reference to its results and, for a loop, to its rounds. */
export function renameStep(document: EditedFlow, path: string, id: string): EditedFlow {
  const before = stepAt(document, path)!.step.id
  const twice = idsOf(document).filter((other) => other === before).length > 1
  const renamed = withValue(document, `${path}/id`, id)
  // Of two steps with one id the references may mean the other.
  return before && !twice ? renamedNotes(renamedReferences(renamed, before, id), before, id) : renamed
}

/** What every kind has stays; the settings are those of a new step. */
export function changeKind(document: EditedFlow, path: string, kind: string): EditedFlow {
  const { id, name, onError, retry } = stepAt(document, path)!.step
  const common = Object.entries({ id, kind, name, onError, retry }).filter(([, value]) => value !== undefined)
  return withValue(document, path, { ...Object.fromEntries(common), ...stepKind(kind).newSettings() })
}

export function newStep(document: EditedFlow, kind: string): StepDocument {
  const { firstId = kind, newSettings } = stepKind(kind)
  return { id: freshId(firstId, new Set(idsOf(document))), kind, ...newSettings() }
}

/** `order`, `order_2`, `order_3`: within what an id may be. */
export function freshId(wanted: string, used: ReadonlySet<string>): string {
  const cleaned = wanted
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+/, '')
  const base = (cleaned || 'step').slice(0, 60)
  if (!used.has(base)) return base
  const stem = base.replace(/_\d+$/, '')
  let number = 2
  while (used.has(`${stem}_${number}`)) number++
  return `${stem}_${number}`
}
