// What is known of the data of a flow, from its samples and from the tests of its steps.
import { parseTemplate, TemplateSyntaxError } from '../expression/index.ts'
import { inferShape, type Lookup, lookUp, type Shape } from './shape.ts'

export interface DataShapes {
  /** null: there is no sample. */
  webhook: Shape | null
  /** By id, of the steps that were tested. */
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

/** A step that failed leaves something else than one that succeeds. */
function hasFailed(result: unknown): boolean {
  if (typeof result !== 'object' || result === null || !Object.hasOwn(result, 'error')) return false
  const { error } = result as { error: unknown }
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}

/** Loops around a place by their ids, the innermost last, with what they go through; null: not just a reference. */
export type LoopLists = ReadonlyMap<string, readonly string[] | null>

/** The reference that the `each` of a loop is; `outside` are the loops around it. */
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

/** With an item of a loop as the first of its list: the shape is that of all. Null for what is not among the data. */
export function dataPath(path: readonly string[], loops: LoopLists): readonly string[] | null {
  const [root, name] = path
  if (root === 'webhook' || root === 'steps') return path
  const list = root === 'loop' ? [...loops.values()].at(-1) : root === 'loops' ? loops.get(name!) : null
  const rest = path.slice(root === 'loop' ? 1 : 2)
  return list && rest[0] === 'item' ? [...list, '0', ...rest.slice(1)] : null
}

/** By a path of `dataPath`; `index` counts from its root. */
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
