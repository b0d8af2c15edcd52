// The flows that a flow calls. A draft may name them by id or slug; a version names them by id.

import { allSteps, type EditedFlow, ON_FAILURE, valueAt, withValue } from '../../flow-model/flow-tree.ts'
import { stepKind } from '../../step-kinds/index.ts'

/** Returns where flows are named, as JSON Pointers. */
function placesOfCalls(document: EditedFlow): string[] {
  const inSteps = allSteps(document).flatMap(({ step, path }) => {
    const { callsIn } = stepKind(step.kind)
    return callsIn ? [`${path}/${callsIn}`] : []
  })
  const handler = document.onFailure
  return handler === undefined || Array.isArray(handler) ? inSteps : [...inSteps, `${ON_FAILURE}/flow`]
}

export const callsFlows = (document: EditedFlow): boolean => placesOfCalls(document).length > 0

/** Returns the flow with other names for the flows that it calls. */
export const withCalledFlows = (document: EditedFlow, named: (flow: string) => string): EditedFlow =>
  placesOfCalls(document).reduce((changed, path) => {
    const flow = valueAt(changed, path)
    return typeof flow === 'string' && named(flow) !== flow ? withValue(changed, path, named(flow)) : changed
  }, document)
