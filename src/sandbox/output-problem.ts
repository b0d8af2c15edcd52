// Whether an output may go on to the main thread, which has to parse it in one go.
import { parseJson } from '../flow/parse-json.ts'
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH, MAX_OUTPUT_NAMES, MAX_OUTPUT_VALUES } from './limits.ts'
import type { Failure } from './messages.ts'

/** Too short to hold too many names. */
const SHORT = 64 << 10

const failure = (message: string): Failure => ({
  code: 'code_failed',
  message,
  hint: 'Return only what later steps need.',
})

export const outputTooLarge = failure('The returned value is larger than 10 MiB as JSON.')

export function outputProblem(json: string): Failure | null {
  if (Buffer.byteLength(json) > MAX_OUTPUT_BYTES) return outputTooLarge
  const { depth, values } = measure(json)
  if (depth > MAX_OUTPUT_DEPTH)
    return failure(`The returned value is nested more than ${MAX_OUTPUT_DEPTH} levels deep.`)
  if (values > MAX_OUTPUT_VALUES)
    return failure(`The returned value holds more than ${MAX_OUTPUT_VALUES.toLocaleString('en')} values.`)
  if (json.length <= SHORT) return null
  const names = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name)
    for (const item of Object.values(value)) collect(item)
  }
  collect(parseJson(json))
  if (names.size > MAX_OUTPUT_NAMES)
    return failure(`The returned value has more than ${MAX_OUTPUT_NAMES.toLocaleString('en')} different field names.`)
  return null
}

/** Reads the text once, without recursion, and without parsing what might be too much to parse. */
function measure(json: string): { depth: number; values: number } {
  let open = 0
  let depth = 0
  let values = 1
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i)
    if (inString) {
      if (unit === 0x5c) i++
      else if (unit === 0x22) inString = false
    } else if (unit === 0x22) inString = true
    else if (unit === 0x2c) values++
    else if (unit === 0x7b || unit === 0x5b) {
      values++
      if (++open > depth) depth = open
    } else if (unit === 0x7d || unit === 0x5d) open--
  }
  return { depth, values }
}
