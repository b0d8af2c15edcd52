// Sets up a test of a step inside loops: as in the first round of each loop, with the first item of the sample.
import { type Roots, roundRoots } from '../../../engine/run-bindings.ts'
import { checkValue, type Visitor } from '../../../flow/check.ts'
import { type Kinds, type StepDocument, stepSchema } from '../../../flow/document.ts'
import { compileTree, ExpressionError, renderTree, TemplateSyntaxError } from '../../../flow/expression/index.ts'
import type { Bindings } from '../../../flow/expression/values/bindings.ts'
import { Findings } from '../../../flow/issue.ts'

/** Returns the roots for the step at the pointer `path`. A list that cannot be evaluated has no first item, and no loop. */
export function inFirstRounds(
  document: object,
  path: string,
  kinds: Kinds,
  outside: Roots,
  scopeOf: (roots: Roots) => Bindings,
): Roots {
  let roots = outside
  for (const loop of loopsAround(document, path, kinds)) {
    const items = loop['each'] === undefined ? null : listOf(loop['each'], scopeOf(roots))
    if (items === undefined) return roots
    const round = { item: items?.[0] ?? null, index: 0, count: items?.length ?? 0 }
    roots = roundRoots(roots, loop.id, round, false)
  }
  return roots
}

/** Returns the loops around the step, outermost first. */
function loopsAround(document: object, path: string, kinds: Kinds): StepDocument[] {
  const loops: StepDocument[] = []
  let value: unknown = document
  let at = ''
  for (const key of path.split('/').slice(1)) {
    value = (value as Record<string, unknown>)[key]
    at += `/${key}`
    if (at !== path && isStep(value) && repeats(value, at, path, kinds)) loops.push(value)
  }
  return loops
}

const isStep = (value: unknown): value is StepDocument =>
  typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'

/** Returns whether the path is in a list of the step that runs in rounds. */
function repeats(step: StepDocument, at: string, path: string, kinds: Kinds): boolean {
  const kind = kinds.get(step.kind)
  if (!kind) return false
  let found = false
  const visitor: Visitor = {
    template() {},
    secret() {},
    connection() {},
    steps: (_list, list, view) => {
      found ||= view === 'rounds' && path.startsWith(`${list}/`)
    },
  }
  checkValue(stepSchema(kind), step, at, new Findings(), visitor)
  return found
}

function listOf(each: unknown, bindings: Bindings): unknown[] | undefined {
  try {
    const items = renderTree(compileTree(each), bindings)
    return Array.isArray(items) && items.length ? items : undefined
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof TemplateSyntaxError) return undefined
    throw error
  }
}
