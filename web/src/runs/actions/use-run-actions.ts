// Cancelling and replaying, from the list and from the page of a run.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/api-client.ts'
import type { Run } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import type { ReplayChanges } from '../model/replay-parts.ts'

export interface Replay extends ReplayChanges {
  id: string
  version: 'same' | 'published' | 'draft' | number
  /** Path of the step to begin with; without it the run is replayed as a whole. */
  from?: string
}

export function useCancelRun() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.post<Run>(`/runs/${id}/cancel`),
    onSuccess: (run) => client.setQueryData(keys.run(run.id), run),
  })
}

/** Goes to the new run. */
export function useReplayRun() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: ({ id, ...choice }: Replay) => api.post<Run>(`/runs/${id}/replay`, choice),
    onSuccess: async (run) => {
      client.setQueryData(keys.run(run.id), run)
      await navigate({ to: '/runs/$id', params: { id: run.id } })
    },
  })
}
