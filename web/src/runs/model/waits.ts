// What a run waits for, in words.
import type { RunCallback, RunStep } from '../../api/api-types.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { formatLeft } from '../../ui/format.ts'

/** The same place in each attempt of the steps around it, as callbacks have it. */
const placeOf = (path: string): string => path.replaceAll(/#\d+/g, '')

export const callbackAt = (callbacks: readonly RunCallback[] | undefined, path: string): RunCallback | null =>
  callbacks?.find(({ step }) => step === placeOf(path)) ?? null

export const awaitedWords = ({ kind }: Pick<RunCallback, 'kind'>): string =>
  kind === 'approval' ? 'an approval' : 'a callback'

/** Of a step that waits, "waiting for an approval, 2 days left"; null of others. */
export function waitWords(
  step: Pick<RunStep, 'kind' | 'status' | 'path' | 'resumeAt'>,
  callbacks: readonly RunCallback[] | undefined,
  now: number,
): string | null {
  if (step.status !== 'waiting' || !stepKind(step.kind).waits || !step.resumeAt) return null
  const callback = callbackAt(callbacks, step.path)
  const what = callback ? ` for ${awaitedWords(callback)}` : ''
  return `waiting${what}, ${formatLeft(Date.parse(step.resumeAt) - now)}`
}

/** Whether what is told of a step changes what is known of the callbacks of its run. */
export const concernsCallback = ({ kind, input }: { kind: string; input: unknown }): boolean =>
  typeof input === 'object' && input !== null && (stepKind(kind).awaits?.(input) ?? null) !== null
