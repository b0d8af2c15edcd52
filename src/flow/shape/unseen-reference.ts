// Reports a reference to what no sample ever had: most often a typing error.
import type { Reference } from '../expression/index.ts'
import { nearest, type Patience } from '../issue.ts'
import { type DataShapes, dataPath, type LoopLists, lookUpReference } from './data-shapes.ts'
import { lookUp, type Shape } from './shape.ts'

/** Returns the message; null if there is nothing to report. */
export function unseenReference(
  { path, optional }: Reference,
  shapes: DataShapes,
  loops: LoopLists,
  patience: Patience,
): string | null {
  const full = optional ? null : dataPath(path, loops)
  // A step has its error only if it failed, and tests that failed say nothing about the data.
  if (!full || (full[0] === 'steps' && full[2] === 'error')) return null
  const found = lookUpReference(shapes, full)
  if (found.kind !== 'unseen') return null
  const index = found.index - (full.length - path.length)
  // The list of the loop does not exist: the loop itself gets the message.
  if (path[0] !== full[0] && index < (path[0] === 'loop' ? 2 : 3)) return null
  const meant = meantPath(path, index, found.among, patience)
  const where =
    full[0] === 'webhook'
      ? `${shapes.webhook!.seen === 1 ? 'not in the one sample that there is' : `in none of the ${shapes.webhook!.seen} samples`}`
      : `not in what the last test of ${full[1]} gave`
  return `${writtenPath(path.slice(0, index + 1))} is ${where}${meant ? `; did you mean ${writtenPath(meant)}?` : '.'} If it may be missing, say so with ?? or ?.`
}

/** Returns the path with a similar key, or with the same key deeper inside. */
function meantPath(path: readonly string[], index: number, among: Shape, patience: Patience): string[] | null {
  const [before, key, after] = [path.slice(0, index), path[index]!, path.slice(index + 1)]
  const near = nearest(key, among.keys.keys(), patience)
  if (near !== undefined) {
    const goesOn = lookUp(among.keys.get(near)!, after).kind !== 'unseen'
    return [...before, near, ...(goesOn ? after : [])]
  }
  const inner = innerPath(among, [key, ...after], patience)
  return inner ? [...before, ...inner] : null
}

const MOST_PLACES = 300

/** Returns the nearest place at which that path exists. */
function innerPath(shape: Shape, wanted: readonly string[], patience: Patience): string[] | null {
  const places: [Shape, string[]][] = [[shape, []]]
  for (const [place, path] of places) {
    if (patience.comparisons-- <= 0) return null
    if (lookUp(place, wanted).kind === 'seen') return [...path, ...wanted]
    if (places.length > MOST_PLACES) continue
    for (const [key, child] of place.keys) places.push([child, [...path, key]])
    if (place.items) places.push([place.items, [...path, '0']])
  }
  return null
}

const NAME = /^[A-Za-z_$][\w$]*$/

/** Writes a path as an expression does. */
const writtenPath = ([root, ...keys]: readonly string[]): string =>
  keys.reduce<string>(
    (text, key) =>
      text + (NAME.test(key) ? `.${key}` : /^\d+$/.test(key) ? `[${key}]` : `['${key.replaceAll(/[\\']/g, '\\$&')}']`),
    root!,
  )
