// The way that a run took through its flow: the steps that it reached, and the lines between them.
import type { StepDocument } from '../../../src/flow/document.ts'
import { stepLists } from '../../../src/flow/step-lists.ts'
import { type EditedFlow, nestedLists } from './flow-tree.ts'
import { isObject } from './is-object.ts'

export interface WalkedStep {
  id: string
  status: string
  output?: unknown
}

export interface TakenPath {
  /** Pointers of the steps that began. */
  steps: ReadonlySet<string>
  /** Ids of the layout's lines. */
  lines: ReadonlySet<string>
}

/** Of steps that ran several times, in the rounds of a loop, all ways count. */
export function takenPath(document: EditedFlow, walked: readonly WalkedStep[]): TakenPath {
  const byId = Map.groupBy(walked, ({ id }) => id)
  const steps = new Set<string>()
  const lines = new Set<string>()

  /** Returns whether the way leads through the list to its end. */
  const walk = (list: StepDocument[], at: string, entered: boolean): boolean => {
    let goesOn = entered
    for (const [index, step] of list.entries()) {
      const path = `${at}/${index}`
      const times = byId.get(step.id) ?? []
      if (times.length === 0) return false
      lines.add(`${at}:${index}`)
      steps.add(path)
      goesOn = times.some(
        ({ status }) => status === 'succeeded' || (status === 'failed' && step.onError === 'continue'),
      )
      walkInside(step, path, times)
    }
    if (goesOn) lines.add(`${at}:${list.length}`)
    return goesOn
  }

  const walkInside = (step: StepDocument, path: string, times: readonly WalkedStep[]) => {
    const nested = nestedLists(step)
    for (const [column, { key, role, steps: inner, index }] of nested.entries()) {
      const chosen = times.some(({ output }) => choiceOf(output) === (role === 'case' ? index : null))
      const isReached = byId.has(inner[0]?.id ?? '') && inner.length > 0
      const isEntered = role === 'lane' ? inner.length === 0 : role !== 'body' && chosen
      const entered = isReached || isEntered
      if (role !== 'body' && entered) lines.add(`${path}:fork:${column}`)
      const ended = walk(inner, path + key, entered)
      if (role !== 'body' && ended) lines.add(`${path}:join:${column}`)
    }
  }

  for (const { list, path } of stepLists(document)) walk(list as StepDocument[], path, path === '/steps')
  return { steps, lines }
}

/** The case that a branch took: its index, null for otherwise; undefined where that is not known. */
function choiceOf(output: unknown): number | null | undefined {
  if (!isObject(output) || !Object.hasOwn(output, 'case')) return undefined
  const chosen = output['case']
  return typeof chosen === 'number' || chosen === null ? chosen : undefined
}
