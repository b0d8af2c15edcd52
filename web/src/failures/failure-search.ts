// Which failures the list shows, as it stands in the URL.
import type { FailureState } from '../api/api-types.ts'
import { type LabelFilter, labelFilter } from '../api/label-filter.ts'

export const FAILURE_STATES = ['open', 'resolved', 'muted'] as const

export interface FailureSearch {
  flow?: string | undefined
  /** Open ones, if nothing else is asked for. */
  state?: FailureState | 'all' | undefined
  /** Of runs that have it. */
  label?: LabelFilter | undefined
}

export const failureSearch = ({ flow, state, label }: Record<string, unknown>): FailureSearch => ({
  flow: typeof flow === 'string' && flow !== '' ? flow : undefined,
  state: [...FAILURE_STATES, 'all' as const].find((each) => each === state),
  label: labelFilter(label),
})
