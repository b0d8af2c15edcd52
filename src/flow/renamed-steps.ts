// Finds the steps that only got another id between two states of a document: at the same place, of the same kind.
import { isObject } from '../base/is-object.ts'
import { stepLists } from './step-lists.ts'

interface PlacedStep {
  id: string
  kind: string
}

export function renamedSteps(before: unknown, after: unknown): { from: string; to: string }[] {
  const [earlier, later] = [placedSteps(before), placedSteps(after)]
  const idsOf = (steps: Map<string, PlacedStep>) => new Set([...steps.values()].map(({ id }) => id))
  const [earlierIds, laterIds] = [idsOf(earlier), idsOf(later)]
  const renamed: { from: string; to: string }[] = []
  for (const [path, { id, kind }] of later) {
    const was = earlier.get(path)
    if (was && was.kind === kind && was.id !== id && !laterIds.has(was.id) && !earlierIds.has(id))
      renamed.push({ from: was.id, to: id })
  }
  return renamed
}

/** Returns the steps at any depth, by their place. */
function placedSteps(document: unknown): Map<string, PlacedStep> {
  const steps = new Map<string, PlacedStep>()
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (isObject(value) && typeof value['id'] === 'string' && typeof value['kind'] === 'string')
      steps.set(path, { id: value['id'], kind: value['kind'] })
    for (const [key, item] of Object.entries(value)) visit(item, `${path}/${key}`)
  }
  for (const { list, path } of stepLists(document)) visit(list, path)
  return steps
}
