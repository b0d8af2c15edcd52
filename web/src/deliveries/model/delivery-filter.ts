// Which deliveries the inbox shows, as it stands in the URL, and which of them is looked at.
import type { DeliveryOutcome } from '../../api/api-types.ts'
import type { DeliveryFilter } from '../../api/queries.ts'

export const OUTCOMES = ['accepted', 'duplicate', 'filtered', 'rejected'] as const

export interface InboxSearch extends DeliveryFilter {
  /** The id of the delivery that is looked at. */
  delivery?: string | undefined
}

/**
 * What is not understood is taken away, not only left out: the router would pass it on. A link that was cut short still shows
 * a list.
 */
export function inboxSearch({ flow, outcome, delivery }: Record<string, unknown>): InboxSearch {
  return {
    flow: typeof flow === 'string' && flow !== '' ? flow : undefined,
    outcome: OUTCOMES.find((each) => each === outcome),
    delivery: typeof delivery === 'string' && delivery !== '' ? delivery : undefined,
  }
}

export const matchesDelivery = (
  filter: DeliveryFilter,
  delivery: { flowId: string; outcome: DeliveryOutcome },
): boolean =>
  (filter.flow === undefined || delivery.flowId === filter.flow) &&
  (filter.outcome === undefined || delivery.outcome === filter.outcome)
