// Which step the arrow keys lead to.

import type { Direction } from './edit-steps.ts'
import { allSteps, type EditedFlow, isInside, nestedLists, ON_FAILURE, stepKeys } from './flow-tree.ts'

/**
 * `null` is the trigger, `/onFailure` the card of what is done when a run fails, where there is one. Up and down follow the reading order,
 * left and right the cases of a branch and the branches of a parallel step.
 */
export function neighbour(
  document: EditedFlow,
  path: string | null,
  direction: Direction,
  showsFailure: boolean,
): string | null {
  const places = allSteps(document)
  const paths = places.map((place) => place.path)
  const handling = paths.filter((one) => isInside(one, ON_FAILURE))
  const cards = [
    null,
    ...paths.slice(0, paths.length - handling.length),
    ...(showsFailure ? [ON_FAILURE, ...handling] : []),
  ]
  const at = cards.indexOf(path)
  if (direction === 'up') return cards[Math.max(0, at - 1)]!
  if (direction === 'down') return cards[Math.min(at + 1, cards.length - 1)]!
  const place = places.find((one) => one.path === path)
  if (!place?.parent) return path
  const lists = nestedLists(place.parent.place.step)
  const step = direction === 'right' ? 1 : -1
  let column = lists.findIndex(({ key }) => key === place.parent!.nested.key) + step
  while (lists[column] && !lists[column]!.steps.length) column += step
  const list = lists[column]
  if (!list) return path
  return `${place.parent.place.path}${list.key}/${Math.min(place.index, list.steps.length - 1)}`
}

/** The key of the step that was at `path`, or of the nearest one before it; null where its list has none before it. */
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
