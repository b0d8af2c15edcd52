// Which steps answer the waiting caller, in the order in which they may run: the first that runs is the one that counts.
import { stepKind } from '../step-kinds/index.ts'
import { allSteps, type EditedFlow, isInside, ON_FAILURE, type StepPlace } from './flow-tree.ts'

export interface ReplyingSteps {
  /** Those that answer only where the run comes by: in a branch, or in a loop. */
  maybe: StepPlace[]
  /** The one that every run comes by which does not fail before; null if there is none. */
  always: StepPlace | null
}

export function replyingSteps(document: EditedFlow): ReplyingSteps {
  const maybe: StepPlace[] = []
  for (const place of allSteps(document)) {
    // Nobody waits any more for what is done after the run.
    if (isInside(place.path, ON_FAILURE)) break
    const { answersCaller, ends } = stepKind(place.step.kind)
    if (place.parent === null && ends?.(place.step)) break
    if (!answersCaller) continue
    if (place.parent === null) return { maybe, always: place }
    maybe.push(place)
  }
  return { maybe, always: null }
}
