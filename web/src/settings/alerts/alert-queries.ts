import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/api-client.ts'
import type { Alert, AlertRequest } from '../../api/api-types.ts'

/** A message may be sent, or fail, at any time. */
const LIST_EVERY_MS = 5_000
const KEY = ['alerts']

export const alertsQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ signal }) => (await api.get<{ items: Alert[] }>('/alerts', { signal })).items,
  refetchInterval: LIST_EVERY_MS,
})

export type SavedAlert = Alert & { secret?: string }

/** Makes an alert, or replaces one. */
export function useSaveAlert(id: string | null, onSaved: (alert: SavedAlert) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (request: AlertRequest) =>
      id === null ? api.post<SavedAlert>('/alerts', request) : api.put<SavedAlert>(`/alerts/${id}`, request),
    onSuccess: (alert) => {
      void client.invalidateQueries({ queryKey: KEY })
      onSaved(alert)
    },
  })
}

export function useDeleteAlert(): (id: string) => Promise<void> {
  const client = useQueryClient()
  return async (id) => {
    await api.delete(`/alerts/${id}`)
    await client.invalidateQueries({ queryKey: KEY })
  }
}

export const useTestAlert = (id: string) =>
  useMutation({
    mutationFn: () => api.post<{ sent: boolean; message: string | null }>(`/alerts/${id}/test`),
  })
