// Steps for the tests of the model, with times in milliseconds after T0.
import type { StepStatus } from '../../api/api-types.ts'
import type { TimedStep } from './run-tree.ts'
import { stepIdOf } from './step-path.ts'

export const T0 = Date.parse('2026-11-15T08:00:00Z')
export const at = (ms: number): string => new Date(T0 + ms).toISOString()

export function step(path: string, from: number, to: number | null, more: Partial<TimedStep> = {}): TimedStep {
  const status: StepStatus = to === null ? 'running' : 'succeeded'
  return {
    path,
    id: stepIdOf(path),
    kind: 'http',
    status,
    attempt: 1,
    startedAt: at(from),
    finishedAt: to === null ? null : at(to),
    input: null,
    output: null,
    error: null,
    ...more,
  }
}

export const failure = { code: 'http_500', message: 'The server answered 500' }

export const failedStep = (path: string, from: number, to: number, more: Partial<TimedStep> = {}): TimedStep =>
  step(path, from, to, { status: 'failed', error: failure, ...more })
