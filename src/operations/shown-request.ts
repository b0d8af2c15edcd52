// What the journal shows of a request that an `http` step made.
import type { StepView } from './read-runs.ts'

export interface ShownRequest {
  method: string
  url: string
  headers: { name: string; value: string }[]
  body: unknown
}

const KEYS = new Set(['method', 'url', 'headers', 'body'])

/** Null where the step failed before it made one, for want of a token say: then the journal has its settings in place of it. */
export function shownRequest({ kind, input }: StepView): ShownRequest | null {
  if (kind !== 'http' || typeof input !== 'object' || input === null) return null
  const { method, headers, body } = input as Partial<ShownRequest>
  if (!Array.isArray(headers) || body === undefined) return null
  if (!Object.keys(input).every((key) => KEYS.has(key))) return null
  // Refused as a setting.
  return method === 'HEAD' && body !== null ? null : (input as ShownRequest)
}
