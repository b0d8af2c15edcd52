// What the steps of a test run left: for later tests, and as what the fields show.
import type { Run, StepStatus } from '../api/api-types.ts'
import { stepKind } from '../step-kinds/index.ts'
import { isObject } from './is-object.ts'

/** What a card says of its step. */
export interface Outcome {
  /** troubled: the flow went on, although not all went well. */
  status: StepStatus | 'troubled'
  /** "200 · 84 ms". */
  text: string
  /** old: the step was edited since; pinned: tests take this result in place of running it. */
  note?: 'old' | 'pinned'
}

/** Returns whether a step that succeeded did so in spite of trouble: an API that refused, or rounds that failed. */
export function isTroubled(kind: string, output: unknown): boolean {
  if (!isObject(output)) return false
  const { sendsRequest, repeats } = stepKind(kind)
  if (sendsRequest) return typeof output['status'] === 'number' && output['status'] >= 400
  return repeats !== undefined && Array.isArray(output['errors']) && output['errors'].length > 0
}

export function outputsOfRun(run: Run | null): Record<string, unknown> {
  const outputs: Record<string, unknown> = Object.create(null)
  for (const { id, kind, status, output, error, omitted } of run?.steps ?? [])
    if (kind !== 'round' && (status === 'succeeded' || status === 'failed') && !omitted?.includes('output'))
      outputs[id] = error ? { ...(isObject(output) ? output : {}), error } : output
  return outputs
}

/** The variables that the steps of a run set, the later over the earlier. */
export function varsOfRun(run: Run | null): Record<string, unknown> {
  const setters = (run?.steps ?? []).filter(({ kind, status }) => stepKind(kind).variables && status === 'succeeded')
  return Object.assign(Object.create(null), ...setters.map(({ output }) => output))
}
