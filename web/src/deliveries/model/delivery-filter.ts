// Which deliveries the inbox shows, as it stands in the URL, and which of them is looked at.
import type { DeliveryOutcome } from '../../api/api-types.ts'
import { hasLabels, labelFilter } from '../../api/label-filter.ts'
import type { DeliveryFilter } from '../../api/queries.ts'

export const OUTCOMES = [
  'accepted',
  'duplicate',
  'filtered',
  'handshake',
  'rejected',
  'callback',
  'early',
  'repeated',
] as const

export interface InboxSearch extends DeliveryFilter {
  /** The id of the delivery that is looked at. */
  delivery?: string | undefined
}

/**
 * What is not understood is taken away, not only left out: the router would pass it on. A link that was cut short still shows
 * a list.
 */
export function inboxSearch({ flow, outcome, event, delivery, label }: Record<string, unknown>): InboxSearch {
  return {
    flow: typeof flow === 'string' && flow !== '' ? flow : undefined,
    outcome: OUTCOMES.find((each) => each === outcome),
    event: typeof event === 'string' && event !== '' ? event : undefined,
    label: labelFilter(label),
    delivery: typeof delivery === 'string' && delivery !== '' ? delivery : undefined,
  }
}

type Labels = Record<string, string>

export const matchesDelivery = (
  filter: DeliveryFilter,
  delivery: { flowId: string; outcome: DeliveryOutcome; event?: string | null; labels?: Labels | null },
): boolean =>
  // What was read with this filter does not say its labels; what is told of does.
  (delivery.labels === undefined || hasLabels(delivery.labels, filter.label)) &&
  (filter.flow === undefined || delivery.flowId === filter.flow) &&
  (filter.outcome === undefined || delivery.outcome === filter.outcome) &&
  (filter.event === undefined || delivery.event === filter.event)
