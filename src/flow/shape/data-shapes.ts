// What is known of the data of a flow, from its samples and from the tests of its steps.
import { parseTemplate, TemplateSyntaxError } from '../expression/index.ts'
import { inferShape, type Lookup, lookUp, type Shape } from './shape.ts'

export interface DataShapes {
  /** null: there is no sample. */
  webhook: Shape | null
  /** The shapes of the steps that were tested, by id. */
  steps: ReadonlyMap<string, Shape>
}

export function shapesOf(webhooks: readonly unknown[], results: Readonly<Record<string, unknown>>): DataShapes {
  return {
    webhook: webhooks.length ? inferShape(webhooks) : null,
    steps: new Map(
      Object.entries(results)
        .filter(([, result]) => !hasFailed(result))
        .map(([id, result]) => [id, inferShape([result])]),
    ),
  }
}

/** Returns whether the result is that of a failed step, which has another shape. */
function hasFailed(result: unknown): boolean {
  if (typeof result !== 'object' || result === null || !Object.hasOwn(result, 'error')) return false
  const { error } = result as { error: unknown }
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}

/** The loops around a place by id, the innermost last, each with the path of its list; null if it is computed. */
export type LoopLists = ReadonlyMap<string, readonly string[] | null>

/** Returns the path if the `each` of a loop is just a reference; `outside`: the loops around it. */
export function listPath(each: unknown, outside: LoopLists): readonly string[] | null {
  if (typeof each !== 'string') return null
  try {
    const [expression, ...others] = parseTemplate(each).parts
    if (typeof expression !== 'object' || others.length) return null
    const whole = expression.references.find(({ start, end }) => start === expression.start && end === expression.end)
    return whole ? dataPath(whole.path, outside) : null
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return null
    throw error
  }
}

/** Returns the path with a loop's item as the first of its list, since all have one shape. Null if it is not in the data. */
export function dataPath(path: readonly string[], loops: LoopLists): readonly string[] | null {
  const [root, name] = path
  if (root === 'webhook' || root === 'steps') return path
  const list = root === 'loop' ? [...loops.values()].at(-1) : root === 'loops' ? loops.get(name!) : null
  const rest = path.slice(root === 'loop' ? 1 : 2)
  return list && rest[0] === 'item' ? [...list, '0', ...rest.slice(1)] : null
}

/** Looks up a path of `dataPath`; `index` counts from its root. */
export function lookUpReference(shapes: DataShapes, path: readonly string[]): Lookup {
  const [root, name] = path
  const [shape, skipped] =
    root === 'webhook'
      ? [shapes.webhook, 1]
      : [root === 'steps' && name !== undefined ? shapes.steps.get(name) : null, 2]
  if (!shape) return { kind: 'unknown' }
  const found = lookUp(shape, path.slice(skipped))
  return found.kind === 'unseen' ? { ...found, index: found.index + skipped } : found
}
