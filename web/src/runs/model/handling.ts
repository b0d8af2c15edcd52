// What is done because a run failed: a part of the run with a status, steps and an error of its own.
import { isFinished } from './run-filter.ts'

/** How the paths of its steps begin, as the API has them; alone, all of it. No step can have this id. */
export const HANDLING = 'onFailure'

export const isHandling = (path: string): boolean => path === HANDLING || path.startsWith(`${HANDLING}/`)

/** Returns whether something of the run may still change. */
export const isUnderWay = ({ status, onFailure }: { status: string; onFailure: { status: string } | null }): boolean =>
  !isFinished(status) || (onFailure !== null && !isFinished(onFailure.status))
