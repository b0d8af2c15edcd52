// A flow document as the tree it is: where its steps stand, read and replaced by JSON Pointers. What is not touched stays the same object.
import type { FlowDocument, StepDocument } from '../../../src/flow/document.ts'
import { stepLists } from '../../../src/flow/step-lists.ts'
import { stepKind } from '../step-kinds/index.ts'
import type { NestedList } from '../step-kinds/step-kind.ts'

export type Note = NonNullable<FlowDocument['notes']>[number]

export interface EditedFlow {
  name: string
  /** Markdown. */
  description?: string
  notes?: Note[]
  tags?: string[]
  trigger: Record<string, unknown>
  steps: StepDocument[]
  /** What is done when a run has failed. */
  onFailure?: StepDocument[] | { flow: string }
}

/** Pointer of what is done when a run has failed; on the canvas, of the card that its steps stand below. */
export const ON_FAILURE = '/onFailure'

export interface StepPlace {
  step: StepDocument
  /** JSON Pointer of the step, and of the list it stands in. */
  path: string
  list: string
  index: number
  /** The step around it, if any, and which of that step's lists it is in. */
  parent: { place: StepPlace; nested: NestedList } | null
}

/** A place for a step: before the step that has this index now. */
export interface Position {
  list: string
  index: number
}

export const nestedLists = (step: StepDocument): NestedList[] => stepKind(step.kind).nestedLists?.(step) ?? []

/** Every step in the order in which it is read. */
export function allSteps(document: EditedFlow): StepPlace[] {
  const places: StepPlace[] = []
  const visit = (steps: StepDocument[], list: string, parent: StepPlace['parent']) => {
    for (const [index, step] of steps.entries()) {
      const place: StepPlace = { step, path: `${list}/${index}`, list, index, parent }
      places.push(place)
      for (const nested of nestedLists(step)) visit(nested.steps, place.path + nested.key, { place, nested })
    }
  }
  for (const { list, path } of stepLists(document)) visit(list as StepDocument[], path, null)
  return places
}

/** What names a step in the URL and on the canvas: its id, or its pointer where the id is missing or used twice. */
export function stepKeys(document: EditedFlow): Map<string, string> {
  const places = allSteps(document)
  const counts = new Map<string, number>()
  for (const { step } of places) counts.set(step.id, (counts.get(step.id) ?? 0) + 1)
  return new Map(places.map(({ step, path }) => [path, step.id && counts.get(step.id) === 1 ? step.id : path]))
}

export function findStep(document: EditedFlow, key: string): StepPlace | undefined {
  const places = allSteps(document)
  return places.find(({ step }) => step.id === key) ?? places.find(({ path }) => path === key)
}

export function stepAt(document: EditedFlow, path: string): StepPlace | undefined {
  return allSteps(document).find((place) => place.path === path)
}

export const isInside = (path: string, container: string): boolean =>
  path === container || path.startsWith(`${container}/`)

const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))

export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const key of keysOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** A copy with another value at the pointer; `undefined` removes the key. Objects on the way are made where they are missing. */
export function withValue<T>(root: T, pointer: string, value: unknown): T {
  return replaced(root, keysOf(pointer), value) as T
}

function replaced(node: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(node)) {
    const index = Number(key)
    const item = replaced(node[index], rest, value)
    if (item === undefined) return node.toSpliced(index, 1)
    return index < node.length ? node.with(index, item) : [...node, item]
  }
  const object = (typeof node === 'object' && node !== null ? node : {}) as Record<string, unknown>
  const item = replaced(Object.hasOwn(object, key) ? object[key] : undefined, rest, value)
  if (item !== undefined) return { ...object, [key]: item }
  const { [key]: _removed, ...others } = object
  return others
}
