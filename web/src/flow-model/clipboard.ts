// Steps as text on the clipboard: YAML as in a flow's file, so they can be pasted into files and chats too, and back.

import { parseCurl } from '../../../src/flow/curl/parse-curl.ts'
import type { StepDocument } from '../../../src/flow/document.ts'
import { formatFlowYaml, parseFlowText } from '../../../src/flow/flow-text.ts'
import { requestStep } from '../step-kinds/http.ts'
import { isObject } from './is-object.ts'

export const stepsToText = (steps: StepDocument[]): string => formatFlowYaml(steps)

/** A list of steps, one step, a whole flow, or a curl command; null for anything else. */
export function textToSteps(text: string): StepDocument[] | null {
  const curl = /^\s*(?:\$\s*)?curl\s/.test(text) ? parseCurl(text) : null
  if (curl) return [requestStep(curl.settings)]
  if (text.length > LONGEST) return null
  let value: unknown
  try {
    value = parseFlowText(text)
  } catch {
    return null
  }
  const steps = Array.isArray(value) ? value : isStep(value) ? [value] : isObject(value) ? value['steps'] : null
  return Array.isArray(steps) && steps.length > 0 && steps.every(isStep) ? steps : null
}

const LONGEST = 1_000_000

const isStep = (value: unknown): value is StepDocument => isObject(value) && typeof value['kind'] === 'string'
