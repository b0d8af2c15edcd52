// Finds a step of a draft by its id, at any depth.
import type { StepDocument } from '../../flow/document.ts'
import { stepLists } from '../../flow/step-lists.ts'
import { notFound } from '../operation-error.ts'

export interface FoundStep {
  step: StepDocument
  /** JSON Pointer. */
  path: string
}

export function findStep(flowId: string, document: { steps?: unknown[] }, id: string): FoundStep {
  for (const { list, path } of stepLists(document)) {
    const found = inList(list, path, id)
    if (found) return found
  }
  throw notFound('step', `${id} in flow ${flowId}`)
}

function inList(list: unknown[], path: string, id: string): FoundStep | null {
  for (const [i, step] of list.entries()) {
    if (typeof step !== 'object' || step === null) continue
    const at = `${path}/${i}`
    if ((step as StepDocument).id === id) return { step: step as StepDocument, path: at }
    const nested = inside(step, at, id)
    if (nested) return nested
  }
  return null
}

/** Searches every list below a step: a kind may nest steps at any depth. */
function inside(value: object, path: string, id: string): FoundStep | null {
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'object' || item === null) continue
    const at = `${path}/${key}`
    const isStepList =
      Array.isArray(item) && item.some((entry) => typeof entry?.id === 'string' && typeof entry?.kind === 'string')
    const found = isStepList ? inList(item, at, id) : inside(item, at, id)
    if (found) return found
  }
  return null
}
