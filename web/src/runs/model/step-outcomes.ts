// What became of each step of the document, however often it ran: what the canvas shows on its cards.
import type { StepStatus } from '../../api/api-types.ts'
import { isObject } from '../../flow-model/is-object.ts'
import { isTroubled, type Outcome } from '../../flow-model/outcomes.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { formatDuration, formatLeft, plural } from '../../ui/format.ts'
import { MOST_STEPS } from './live-run.ts'
import { numberAt, roundErrors, type TimedStep } from './run-tree.ts'
import { parentOf } from './step-path.ts'

export interface StepOutcome {
  /** Of the latest time it ran. */
  status: StepStatus
  /** Where that is found in the run. */
  path: string
  attempt: number
  durationMs: number | null
  /** Until when it waits, where that is its work. */
  waitsUntil: string | null
  /** In a few words; empty where there is nothing to say. */
  result: string
  /** It succeeded, although not all went well. */
  troubled: boolean
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
  const looked = new Set<string>()
  for (const step of steps) {
    const before = outcomes.get(step.id)
    const failed = step.status === 'failed'
    const counts = {
      count: (before?.count ?? 0) + 1,
      failed: (before?.failed ?? 0) + (failed ? 1 : 0),
      firstFailure: before?.firstFailure ?? (failed ? step.path : null),
    }
    const inRound = round !== null && step.path.startsWith(`${round}/`)
    if (before && looked.has(step.id) && !inRound) outcomes.set(step.id, { ...before, ...counts })
    else outcomes.set(step.id, { ...shown(step), ...counts, ofRound: inRound })
    if (inRound) looked.add(step.id)
  }
  // Of a long run only the first steps are here; how many rounds there were, the loop says.
  if (steps.length >= MOST_STEPS) for (const loop of steps) countRounds(loop, outcomes)
  return outcomes
}

function countRounds(loop: TimedStep, outcomes: Map<string, StepOutcome>): void {
  if (!stepKind(loop.kind).repeats || loop.status !== 'succeeded' || loop.path.includes(']')) return
  const total = Math.max(numberAt(loop.output, 'count'), numberAt(loop.input, 'count'))
  const errors = roundErrors(loop)
  for (const [id, outcome] of outcomes) {
    const parent = parentOf(outcome.path)
    if (parent?.path !== loop.path || parent.round === null || outcome.count >= total) continue
    const failed = Math.max(outcome.failed, errors.filter(({ error }) => error.step === id).length)
    outcomes.set(id, { ...outcome, count: total, failed })
  }
}

const shown = ({ status, path, attempt, kind, startedAt, finishedAt, resumeAt, output, error }: TimedStep) => ({
  status,
  path,
  attempt,
  durationMs: finishedAt === null ? null : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)),
  waitsUntil: status === 'waiting' && stepKind(kind).waits ? (resumeAt ?? null) : null,
  result: resultOf(kind, output, error),
  troubled: status === 'succeeded' && isTroubled(kind, output),
})

/** The status of a reply, the code of an error, the way that was taken, how many rounds or finished branches there were. */
export function resultOf(kind: string, output: unknown, error: { code: string } | null): string {
  const { repeats, nestedLists } = stepKind(kind)
  const of = isObject(output) ? output : {}
  if (Number.isInteger(of['status'])) return String(of['status'])
  if (error) return error.code
  if (repeats) {
    const failed = Array.isArray(of['errors']) ? of['errors'].length : 0
    if (typeof of['count'] !== 'number') return ''
    return failed > 0 ? failedOf(failed, of['count']) : plural(of['count'], 'round')
  }
  if (nestedLists && Array.isArray(of['finished'])) return `${of['finished'].length} finished`
  if (!nestedLists || !Object.hasOwn(of, 'case')) return ''
  return typeof of['case'] === 'number' ? `case ${of['case'] + 1}` : 'otherwise'
}

const failedOf = (failed: number, count: number): string =>
  `${failed.toLocaleString('en')} of ${count.toLocaleString('en')} failed`

/** What a card says: of a step that ran once how it went, of one that waits how long it does at `now`, of others how often, and how often it failed. */
export function outcomeOnCard(outcome: StepOutcome, now?: number): Outcome {
  const { status, count, failed, result, durationMs, waitsUntil, ofRound, troubled } = outcome
  if (count > 1 && !ofRound)
    return failed > 0
      ? { status: 'failed', text: failedOf(failed, count) }
      : { status: troubled ? 'troubled' : status, text: `${count.toLocaleString('en')} times` }
  if (waitsUntil && now !== undefined) return { status, text: `Waiting, ${formatLeft(Date.parse(waitsUntil) - now)}` }
  return onceOnCard({ status, result, durationMs, troubled })
}

export function onceOnCard(once: Pick<StepOutcome, 'status' | 'result' | 'durationMs' | 'troubled'>): Outcome {
  const { status, result, durationMs, troubled } = once
  const took = durationMs === null ? '' : formatDuration(durationMs)
  // An error's code says enough on a card.
  const text = status === 'failed' && /^\D/.test(result) ? result : [result, took].filter(Boolean).join(' · ')
  return { status: troubled ? 'troubled' : status, text }
}
