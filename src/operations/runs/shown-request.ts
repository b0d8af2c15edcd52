// Reads a step's request as the journal shows it.
import type { StepView } from './read-runs.ts'

export interface ShownRequest {
  method: string
  url: string
  headers: { name: string; value: string }[]
  body: unknown
}

const KEYS = new Set(['method', 'url', 'headers', 'body'])

/** Returns null if the step made no request, for lack of a token for example: the journal then shows its settings. */
export function shownRequest({ input }: Pick<StepView, 'input'>): ShownRequest | null {
  if (typeof input !== 'object' || input === null) return null
  // Settings always have more keys, because their defaults are filled in.
  return Object.keys(input).every((key) => KEYS.has(key)) ? (input as ShownRequest) : null
}
