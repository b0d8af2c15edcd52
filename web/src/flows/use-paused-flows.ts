// The flows that are paused, with how many runs wait: asked again while there are any, as the numbers grow.
import { useQuery } from '@tanstack/react-query'
import type { FlowSummary } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'

const ASK_AGAIN_MS = 5_000

type PausedFlow = FlowSummary & { paused: NonNullable<FlowSummary['paused']> }

const isPaused = (flow: FlowSummary): flow is PausedFlow => flow.paused !== null

/** `enabled`: false where it is known that none of them matters. */
export function usePausedFlows(enabled = true): PausedFlow[] {
  const flows = useQuery({
    ...queries.flows,
    enabled,
    refetchInterval: ({ state }) => (state.data?.some(isPaused) ? ASK_AGAIN_MS : false),
  })
  return (flows.data ?? []).filter(isPaused)
}
