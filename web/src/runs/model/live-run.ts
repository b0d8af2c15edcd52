// A run that is being looked at while it runs: its steps replace one another as they are told.
import { isFinished } from './run-filter.ts'
import type { TimedStep } from './run-tree.ts'

/** As many as the API shows of a run; steps of rounds beyond are read round by round. */
export const MOST_STEPS = 5000

export interface WatchedRun<S> {
  status: string
  steps: S[]
}

export type RunEvent<S> =
  | { type: 'step'; data: S }
  /** The run without its steps, or all of it. */
  | { type: 'run'; data: { status: string; steps?: S[] } }

/** The same object comes back where nothing changed. */
export function mergeRunEvents<S extends TimedStep, R extends WatchedRun<S>>(
  run: R,
  events: readonly RunEvent<S>[],
): R {
  let state: R = run
  let steps: Map<string, S> | null = null
  for (const event of events) {
    if (event.type === 'step') {
      steps ??= byPath(state.steps)
      if (steps.has(event.data.path) || steps.size < MOST_STEPS || !inRound(event.data.path))
        steps.set(event.data.path, event.data)
    } else if (event.data.steps) {
      state = event.data as R
      steps = null
    } else if (!isFinished(state.status) || isFinished(event.data.status)) state = { ...state, ...event.data }
  }
  return steps ? { ...state, steps: [...steps.values()] } : state
}

const byPath = <S extends TimedStep>(steps: readonly S[]): Map<string, S> =>
  new Map(steps.map((step) => [step.path, step]))

const inRound = (path: string): boolean => path.includes(']/')
