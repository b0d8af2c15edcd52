// What the page of a run looks at, as its address says it: ?step=all[3]/send, ?trigger=true, and which part of it: &tab=input.
import type { TimedStep } from './run-tree.ts'

export const TABS = ['output', 'input', 'logs', 'rounds'] as const
export type Tab = (typeof TABS)[number]

export interface RunPageSearch {
  /** The path of a step, or of a round. */
  step?: string
  trigger?: true
  tab?: Tab
}

export function runPageSearch(search: Record<string, unknown>): RunPageSearch {
  const { step, trigger, tab } = search
  const shown = TABS.includes(tab as Tab) ? { tab: tab as Tab } : {}
  if (typeof step === 'string' && step !== '') return { step, ...shown }
  return trigger === true || trigger === 'true' || trigger === '' ? { trigger: true, ...shown } : shown
}

/** Where the address names nothing: the step that failed the run, else what the webhook brought. */
export function selectedPath(
  { step, trigger }: RunPageSearch,
  run: { error: { step?: string } | null; steps: readonly TimedStep[] },
): string | null {
  if (step !== undefined) return step
  return trigger ? null : failedPath(run)
}

export function failedPath(run: { error: { step?: string } | null; steps: readonly TimedStep[] }): string | null {
  const id = run.error?.step
  if (id === undefined) return null
  // The last of that name: earlier ones may have failed in rounds that the loop went on after.
  const own = run.steps.findLast((step) => step.id === id && step.status === 'failed')
  // Of very many rounds not all are here: then the loop that it failed.
  return (own ?? run.steps.findLast(({ error }) => error?.step === id))?.path ?? null
}
