// Finds variables that depend on which of two branches is faster.
import type { Findings } from '../issue.ts'
import type { NestedList, StepOutline } from './step-outline.ts'

/** Names are asked for one at a time: sets of them for every branch would be large. */
export interface Names {
  has(name: string): boolean
}

/**
 * Returns, for each nested list, the variables that lists beside it set, and those `around` the step. Reports variables that two of
 * them set.
 */
export function variablesBeside(
  nested: readonly NestedList[],
  path: string,
  around: Names,
  outline: StepOutline,
  findings: Findings,
): Names[] {
  const set = nested.map(({ list, path: at, view }) =>
    view === 'beside' ? outline.variablesIn(list, path + at) : new Map<string, string>(),
  )
  const first = new Map<string, string>()
  for (const variables of set)
    for (const [name, at] of variables) {
      const other = first.get(name)
      if (other === undefined) first.set(name, at)
      else
        findings.add(
          'publish',
          at,
          'shared_variable',
          `The variable "${name}" is also set at ${other}, in a branch that runs at the same time; set it in one of them, or after the branches.`,
        )
    }
  return set.map((own) => ({ has: (name) => (first.has(name) && !own.has(name)) || around.has(name) }))
}
