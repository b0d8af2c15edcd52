// Finds the steps of a document that call other flows.
import { checkValue } from '../check.ts'
import { type Kinds, type StepDocument, stepSchema } from '../document.ts'
import { Findings } from '../issue.ts'

export interface FlowCall {
  /** The id or slug of the called flow. */
  flow: string
  /** A JSON Pointer to it. */
  path: string
  step: StepDocument
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
  const { steps } = (document ?? {}) as { steps?: unknown }
  if (Array.isArray(steps)) visit(steps, '/steps')
  return calls
}
