// The rounds of a loop as a list to browse, be there three or a million: rows are worked out where they are looked at.
import type { StepStatus } from '../../api/api-types.ts'
import { type LoopNode, roundErrors, roundStatus, type TimedStep } from './run-tree.ts'
import { roundPath } from './step-path.ts'

export interface RoundRow {
  index: number
  path: string
  /** Null where its steps are not loaded and nothing else tells. */
  status: StepStatus | null
  durationMs: number | null
  error: { code: string; message: string } | null
}

export interface RoundList {
  total: number
  /** Their indexes, in order. */
  failed: number[]
  /** The row at a position, failed ones first if so wanted. */
  row(position: number, failedFirst: boolean): RoundRow
  positionOf(index: number, failedFirst: boolean): number
}

export function roundList(step: TimedStep, loop: LoopNode, continues: ReadonlySet<string>): RoundList {
  const errors = new Map(roundErrors(step).map(({ index, error }) => [index, error]))
  const known = new Map(
    loop.rounds.filter(({ attempt }) => attempt === step.attempt).map((round) => [round.index, round]),
  )
  const failed = [
    ...new Set([
      ...errors.keys(),
      ...[...known.values()].filter((round) => roundStatus(round, continues) === 'failed').map(({ index }) => index),
    ]),
  ].sort((a, b) => a - b)

  const rowOf = (index: number): RoundRow => {
    const round = known.get(index)
    const error = errors.get(index) ?? null
    const steps = round?.steps.map((node) => node.step) ?? []
    return {
      index,
      path: roundPath({ loop: step.path, attempt: step.attempt, index }),
      // A loop that ended well has ended all its rounds, each well or with an error in the list.
      status: error
        ? 'failed'
        : round
          ? roundStatus(round, continues)
          : step.status === 'succeeded'
            ? 'succeeded'
            : null,
      durationMs: durationOf(steps),
      error: error ?? steps.find(({ status, id }) => status === 'failed' && !continues.has(id))?.error ?? null,
    }
  }
  return {
    total: loop.total,
    failed,
    row: (position, failedFirst) => rowOf(failedFirst ? indexAt(failed, position) : position),
    positionOf: (index, failedFirst) => (failedFirst ? positionAt(failed, index) : index),
  }
}

function durationOf(steps: readonly TimedStep[]): number | null {
  if (steps.length === 0 || steps.some(({ finishedAt }) => finishedAt === null)) return null
  const from = Math.min(...steps.map(({ startedAt }) => Date.parse(startedAt)))
  return Math.max(...steps.map(({ finishedAt }) => Date.parse(finishedAt!))) - from
}

/** Failed ones first, then the others, each in order. */
function indexAt(failed: readonly number[], position: number): number {
  if (position < failed.length) return failed[position]!
  let index = position - failed.length
  for (const skipped of failed) {
    if (skipped > index) break
    index++
  }
  return index
}

function positionAt(failed: readonly number[], index: number): number {
  const before = failed.filter((other) => other < index).length
  return failed[before] === index ? before : failed.length + index - before
}
