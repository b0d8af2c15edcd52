// What became of each step of the document, however often it ran: what the canvas shows on its cards.
import type { StepStatus } from '../../api/api-types.ts'
import { isObject } from '../../flow-model/is-object.ts'
import { formatDuration } from '../../ui/format.ts'
import type { TimedStep } from './run-tree.ts'

export interface StepOutcome {
  /** Of the latest time it ran. */
  status: StepStatus
  /** Where that is found in the run. */
  path: string
  attempt: number
  durationMs: number | null
  /** The status of a reply, or the code of an error; empty where there is neither. */
  result: string
  /** How often it ran, in all rounds together. */
  count: number
  failed: number
  /** It is that of the round that is looked at. */
  ofRound: boolean
  /** Where it failed first; null where it never did. */
  firstFailure: string | null
}

/** By step id. Where `within` names a round, that of the round comes before the latest. */
export function stepOutcomes(steps: readonly TimedStep[], within: string | null = null): Map<string, StepOutcome> {
  const outcomes = new Map<string, StepOutcome>()
  const round = within === null ? null : within.slice(0, within.lastIndexOf(']') + 1) || null
  const pinned = new Set<string>()
  for (const step of steps) {
    const before = outcomes.get(step.id)
    const failed = step.status === 'failed'
    const counts = {
      count: (before?.count ?? 0) + 1,
      failed: (before?.failed ?? 0) + (failed ? 1 : 0),
      firstFailure: before?.firstFailure ?? (failed ? step.path : null),
    }
    const inRound = round !== null && step.path.startsWith(`${round}/`)
    if (before && pinned.has(step.id) && !inRound) outcomes.set(step.id, { ...before, ...counts })
    else outcomes.set(step.id, { ...shown(step), ...counts, ofRound: inRound })
    if (inRound) pinned.add(step.id)
  }
  return outcomes
}

const shown = ({ status, path, attempt, startedAt, finishedAt, output, error }: TimedStep) => ({
  status,
  path,
  attempt,
  durationMs: finishedAt === null ? null : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)),
  result: resultOf(output) || (error?.code ?? ''),
})

const resultOf = (output: unknown): string =>
  isObject(output) && Number.isInteger(output['status']) ? String(output['status']) : ''

/** What a card says: of a step that ran once how it went, of others how often, and how often it failed. */
export function outcomeOnCard(outcome: StepOutcome): { status: StepStatus; text: string } {
  const { status, count, failed, result, durationMs, ofRound } = outcome
  if (count > 1 && !ofRound)
    return failed > 0
      ? { status: 'failed', text: `${failed.toLocaleString('en')} of ${count.toLocaleString('en')} failed` }
      : { status, text: `${count.toLocaleString('en')} times` }
  const took = durationMs === null ? '' : formatDuration(durationMs)
  // A code says enough on a card.
  return { status, text: /^\D/.test(result) ? result : [result, took].filter(Boolean).join(' · ') }
}
