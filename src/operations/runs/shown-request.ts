// What the journal shows of a request that a step made.
import type { StepView } from './read-runs.ts'

export interface ShownRequest {
  method: string
  url: string
  headers: { name: string; value: string }[]
  body: unknown
}

const KEYS = new Set(['method', 'url', 'headers', 'body'])

/** Null where the step failed before it made one, for want of a token say: then the journal has its settings in place of it. */
export function shownRequest({ input }: Pick<StepView, 'input'>): ShownRequest | null {
  if (typeof input !== 'object' || input === null) return null
  // Of settings there are always more: their defaults are filled in.
  return Object.keys(input).every((key) => KEYS.has(key)) ? (input as ShownRequest) : null
}
