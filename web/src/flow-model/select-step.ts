// Which step the arrow keys lead to.

import type { Direction } from './edit-steps.ts'
import { allSteps, type EditedFlow, nestedLists, stepKeys } from './flow-tree.ts'

/** `null` is the trigger. Up and down follow the reading order, left and right the cases of a branch and the branches of a parallel step. */
export function neighbour(document: EditedFlow, path: string | null, direction: Direction): string | null {
  const places = allSteps(document)
  const at = places.findIndex((place) => place.path === path)
  if (direction === 'up') return at <= 0 ? null : places[at - 1]!.path
  if (direction === 'down') return places[Math.min(at + 1, places.length - 1)]?.path ?? null
  const place = places[at]
  if (!place?.parent) return path
  const lists = nestedLists(place.parent.place.step)
  const step = direction === 'right' ? 1 : -1
  let column = lists.findIndex(({ key }) => key === place.parent!.nested.key) + step
  while (lists[column] && !lists[column]!.steps.length) column += step
  const list = lists[column]
  if (!list) return path
  return `${place.parent.place.path}${list.key}/${Math.min(place.index, list.steps.length - 1)}`
}

/** The key of the step that was at `path`, or of the nearest one before it; null is the trigger. */
export function nearestKey(document: EditedFlow, path: string): string | null {
  const keys = stepKeys(document)
  const [, list, index] = /^(.*)\/(\d+)$/.exec(path)!
  for (let i = Number(index); i >= 0; i--) {
    const key = keys.get(`${list}/${i}`)
    if (key !== undefined) return key
  }
  const container = list!.replace(/\/((cases|branches)\/\d+\/steps|otherwise|steps)$/, '')
  return keys.get(container) ?? null
}
