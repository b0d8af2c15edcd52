// What became of each step when it was last tested, for its card.
import type { Run, RunStep, StepTest } from '../api/api-types.ts'
import { stepKind } from '../step-kinds/index.ts'
import { isObject } from './is-object.ts'

export interface Outcome {
  status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
  /** "200 · 84 ms". */
  text: string
}

export function outcomeOfTest({ status, output, error, durationMs }: StepTest): Outcome {
  const word = resultWord(output, error)
  // A code says enough on a card.
  return { status, text: error && !/^\d/.test(word) ? word : joined(word, `${Math.round(durationMs)} ms`) }
}

/** The latest entry of each step id; a step in a loop has one per round. */
export function outcomesOfRun(run: Run): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  for (const step of run.steps) {
    if (step.kind === 'round') continue
    const others = run.steps.filter(({ id, path }) => id === step.id && path !== step.path).length
    outcomes.set(step.id, {
      status: step.status,
      text: joined(resultWord(step.output, step.error), others ? rounds(others + 1) : durationOf(step)),
    })
  }
  return outcomes
}

/** What a result that was kept says of itself. */
export function outcomeOfOutput(output: unknown): Outcome {
  const error = own(output, 'error')
  return { status: isObject(error) && 'code' in error ? 'failed' : 'succeeded', text: resultWord(output, null) }
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

function resultWord(output: unknown, error: { code: string } | null): string {
  const status = own(output, 'status')
  if (Number.isInteger(status)) return String(status)
  if (error) return error.code
  const chosen = own(output, 'case')
  if (Number.isInteger(chosen)) return `case ${(chosen as number) + 1}`
  if (chosen === null) return 'otherwise'
  const finished = own(output, 'finished')
  if (Array.isArray(finished)) return `${finished.length} finished`
  const count = own(output, 'count')
  return typeof count === 'number' && Array.isArray(own(output, 'results')) ? rounds(count) : ''
}

function durationOf({ startedAt, finishedAt }: RunStep): string {
  return finishedAt === null ? '' : `${Date.parse(finishedAt) - Date.parse(startedAt)} ms`
}

const rounds = (count: number): string => (count === 1 ? '1 round' : `${count} rounds`)

const joined = (...parts: string[]): string => parts.filter(Boolean).join(' · ')

const own = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
