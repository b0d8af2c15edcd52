// Which deliveries the inbox shows, as it stands in the URL, and which of them is looked at.
import type { DeliveryOutcome } from '../../api/api-types.ts'
import { labelOf } from '../../api/label-filter.ts'
import type { DeliveryFilter } from '../../api/queries.ts'

export const OUTCOMES = ['accepted', 'duplicate', 'filtered', 'rejected', 'callback', 'early', 'repeated'] as const

export interface InboxSearch extends DeliveryFilter {
  /** The id of the delivery that is looked at. */
  delivery?: string | undefined
}

/**
 * What is not understood is taken away, not only left out: the router would pass it on. A link that was cut short still shows
 * a list.
 */
export function inboxSearch({ flow, outcome, delivery, label }: Record<string, unknown>): InboxSearch {
  return {
    flow: typeof flow === 'string' && flow !== '' ? flow : undefined,
    outcome: OUTCOMES.find((each) => each === outcome),
    label: labelOf(label) ? (label as string) : undefined,
    delivery: typeof delivery === 'string' && delivery !== '' ? delivery : undefined,
  }
}

export const matchesDelivery = (
  filter: DeliveryFilter,
  delivery: { flowId: string; outcome: DeliveryOutcome },
): boolean =>
  // A delivery that is told of does not say its labels: it comes with the next look at the list.
  filter.label === undefined &&
  (filter.flow === undefined || delivery.flowId === filter.flow) &&
  (filter.outcome === undefined || delivery.outcome === filter.outcome)
