// Which deliveries the inbox shows, as it stands in the URL, and which of them is looked at.
import type { DeliveryOutcome } from '../../api/api-types.ts'
import type { DeliveryFilter } from '../../api/queries.ts'

export const OUTCOMES = ['accepted', 'duplicate', 'filtered', 'rejected'] as const

export interface InboxSearch extends DeliveryFilter {
  /** The id of the delivery that is looked at. */
  delivery?: string | undefined
}

/** What is not understood is left out: a link that was cut short still shows a list. */
export function inboxSearch({ flow, outcome, delivery }: Record<string, unknown>): InboxSearch {
  const result: InboxSearch = {}
  if (typeof flow === 'string' && flow !== '') result.flow = flow
  if (OUTCOMES.includes(outcome as DeliveryOutcome)) result.outcome = outcome as DeliveryOutcome
  if (typeof delivery === 'string' && delivery !== '') result.delivery = delivery
  return result
}

export const matchesDelivery = (
  filter: DeliveryFilter,
  delivery: { flowId: string; outcome: DeliveryOutcome },
): boolean =>
  (filter.flow === undefined || delivery.flowId === filter.flow) &&
  (filter.outcome === undefined || delivery.outcome === filter.outcome)
