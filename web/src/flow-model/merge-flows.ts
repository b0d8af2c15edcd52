// Puts the edits of two people together, step by step. Where that would lose something, or where it is not clear what is meant, it does not.
import type { StepDocument } from '../../../src/flow/document.ts'
import { allSteps, type EditedFlow, nestedLists, withValue } from './flow-tree.ts'

/** Thrown where both have changed the same. */
class Clash extends Error {}

/** Null where the edits touch one another. */
export function mergeFlows(base: EditedFlow, mine: EditedFlow, theirs: EditedFlow): EditedFlow | null {
  try {
    const keys = new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])
    const of = (flow: EditedFlow, key: string) => (flow as unknown as Record<string, unknown>)[key]
    const merged: Record<string, unknown> = {}
    for (const key of keys) {
      const all = [of(base, key), of(mine, key), of(theirs, key)] as const
      const areSteps = (key === 'steps' || key === 'onFailure') && all.every(Array.isArray)
      const value = areSteps ? mergeLists(...(all as StepLists)) : chosen(...all)
      if (value !== undefined) merged[key] = value
    }
    const flow = merged as unknown as EditedFlow
    const ids = allSteps(flow).map(({ step }) => step.id)
    // Both may have moved or added the same step.
    return new Set(ids).size === ids.length ? flow : null
  } catch (error) {
    if (error instanceof Clash) return null
    throw error
  }
}

type StepLists = readonly [StepDocument[], StepDocument[], StepDocument[]]

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** What the one has changed that the other has not. */
function chosen<T>(base: T, mine: T, theirs: T): T {
  if (same(theirs, base) || same(mine, theirs)) return mine
  if (same(mine, base)) return theirs
  throw new Clash()
}

function mergeLists(base: StepDocument[], mine: StepDocument[], theirs: StepDocument[]): StepDocument[] {
  const [before, here, there] = [byId(base), byId(mine), byId(theirs)]
  for (const [id, step] of before) {
    // What one deletes, or moves elsewhere, the other must have left as it was.
    if (!here.has(id) && there.has(id) && !same(there.get(id), step)) throw new Clash()
    if (!there.has(id) && here.has(id) && !same(here.get(id), step)) throw new Clash()
  }
  return mergeOrder([...before.keys()], [...here.keys()], [...there.keys()]).map((id) => {
    const [b, m, t] = [before.get(id), here.get(id), there.get(id)]
    if (b && m && t) return mergeSteps(b, m, t)
    return m && t ? chosen(undefined, m, t)! : (m ?? t)!
  })
}

function byId(steps: StepDocument[]): Map<string, StepDocument> {
  const found = new Map(steps.map((step) => [step.id, step]))
  if (found.size !== steps.length) throw new Clash()
  return found
}

function mergeSteps(base: StepDocument, mine: StepDocument, theirs: StepDocument): StepDocument {
  if (same(theirs, base) || same(mine, theirs)) return mine
  if (same(mine, base)) return theirs
  const lists = [base, mine, theirs].map(nestedLists)
  const keysOf = (nested: (typeof lists)[number]) => nested.map(({ key }) => key).join()
  if (lists[0]!.length === 0 || lists.some((nested) => keysOf(nested) !== keysOf(lists[0]!))) throw new Clash()
  let merged = chosen(emptied(base), emptied(mine), emptied(theirs))
  for (const [i, { key }] of lists[0]!.entries()) {
    const [b, m, t] = lists.map((nested) => nested[i]!.steps) as [StepDocument[], StepDocument[], StepDocument[]]
    const steps = mergeLists(b, m, t)
    // No empty otherwise is made where there was none.
    if (steps.length > 0 || !key.endsWith('/otherwise')) merged = withValue(merged, key, steps)
  }
  return merged
}

/** The step with empty lists in place of the steps inside it. */
function emptied(step: StepDocument): StepDocument {
  return nestedLists(step).reduce(
    (left, { key }) => withValue(left, key, key.endsWith('/otherwise') ? undefined : []),
    step,
  )
}

/** The order in which both have put things; each may have added and deleted, at places of their own. */
function mergeOrder(base: string[], mine: string[], theirs: string[]): string[] {
  if (same(theirs, base) || same(mine, theirs)) return mine
  if (same(mine, base)) return theirs
  const kept = (order: string[]) => order.filter((id) => base.includes(id))
  const inBoth = base.filter((id) => mine.includes(id) && theirs.includes(id))
  for (const order of [mine, theirs])
    if (
      !same(
        kept(order).filter((id) => inBoth.includes(id)),
        inBoth,
      )
    )
      throw new Clash()
  const [fromMine, fromTheirs] = [addedAfter(base, mine), addedAfter(base, theirs)]
  return ['', ...base].flatMap((id) => {
    const [here, there] = [fromMine.get(id) ?? [], fromTheirs.get(id) ?? []]
    // Which of the two comes first is for a person to say.
    if (here.length > 0 && there.length > 0 && !same(here, there)) throw new Clash()
    return [...(inBoth.includes(id) ? [id] : []), ...(here.length > 0 ? here : there)]
  })
}

/** What was added, by the earlier step that it follows; the empty text stands for the beginning. */
function addedAfter(base: string[], order: string[]): Map<string, string[]> {
  const added = new Map<string, string[]>()
  let last = ''
  for (const id of order) {
    if (base.includes(id)) last = id
    else added.set(last, [...(added.get(last) ?? []), id])
  }
  return added
}
