// Which failures the list shows, as it stands in the URL.
import type { FailureState } from '../api/api-types.ts'

export const FAILURE_STATES = ['open', 'resolved', 'muted'] as const

export interface FailureSearch {
  flow?: string | undefined
  /** Open ones, if nothing else is asked for. */
  state?: FailureState | 'all' | undefined
}

export const failureSearch = ({ flow, state }: Record<string, unknown>): FailureSearch => ({
  flow: typeof flow === 'string' && flow !== '' ? flow : undefined,
  state: [...FAILURE_STATES, 'all' as const].find((each) => each === state),
})
