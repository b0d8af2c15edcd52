// Decides whether an output may go on to the main thread, which has to parse it in one go.
import { CODE } from '../base/error-catalogue.ts'
import { type JsonLimits, jsonProblem, measureJson } from '../flow/json/json-limits.ts'
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH, MAX_OUTPUT_NAMES, MAX_OUTPUT_VALUES } from './limits.ts'
import type { Failure } from './messages.ts'

const LIMITS: JsonLimits = { depth: MAX_OUTPUT_DEPTH, values: MAX_OUTPUT_VALUES, names: MAX_OUTPUT_NAMES }

const failure = (message: string): Failure => ({
  code: CODE.code_failed,
  message,
  hint: 'Return only what later steps need.',
})

export const outputTooLarge = failure('The returned value is larger than 10 MiB as JSON.')

export function outputProblem(json: string): Failure | null {
  if (Buffer.byteLength(json) > MAX_OUTPUT_BYTES) return outputTooLarge
  const problem = jsonProblem(measureJson(json, LIMITS), LIMITS)
  return problem ? failure(`The returned value is ${problem}.`) : null
}
