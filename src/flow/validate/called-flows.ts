// Finds where a document calls other flows: in its steps, and when a run has failed.

import { isObject } from '../../base/is-object.ts'
import { checkValue } from '../check.ts'
import { type Kinds, type StepDocument, stepSchema } from '../document.ts'
import { Findings } from '../issue.ts'
import { stepLists } from '../step-lists.ts'

export interface FlowCall {
  /** The id or slug of the called flow. */
  flow: string
  /** A JSON Pointer to it. */
  path: string
  /** The step that calls it; null if it is called when a run has failed. */
  step: StepDocument | null
}

/** Accepts drafts: what is not a step calls nothing. */
export function callsIn(document: unknown, kinds: Kinds): FlowCall[] {
  const calls: FlowCall[] = []
  const visit = (list: readonly unknown[], path: string): void => {
    for (const [i, one] of list.entries()) {
      const step = (one ?? {}) as StepDocument
      const kind = typeof step.kind === 'string' ? kinds.get(step.kind) : undefined
      if (!kind) continue
      checkValue(stepSchema(kind), step, `${path}/${i}`, new Findings(), {
        template() {},
        secret() {},
        connection() {},
        steps: (nested, at) => visit(nested, at),
        flow: (flow, at) => calls.push({ flow, path: at, step }),
      })
    }
  }
  for (const { list, path } of stepLists(document)) visit(list, path)
  const onFailure = isObject(document) ? document['onFailure'] : undefined
  if (isObject(onFailure) && typeof onFailure['flow'] === 'string' && onFailure['flow'] !== '')
    calls.push({ flow: onFailure['flow'], path: '/onFailure/flow', step: null })
  return calls
}
