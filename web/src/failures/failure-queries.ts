// How failures and the jobs that replay runs are fetched and changed. It is fetched with their pages.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/api-client.ts'
import type { Failure, FailureState, Page, ReplayJob, ReplayPreview, RunSummary } from '../api/api-types.ts'
import { type LabelFilter, labelQuery } from '../api/label-filter.ts'

export interface FailureFilter {
  flow?: string | undefined
  state?: FailureState | undefined
  label?: LabelFilter | undefined
}

const LIST_EVERY_MS = 5_000

const keys = {
  failures: ['failures'],
  jobs: ['replays'],
  job: (id: string) => ['replays', id],
} as const

export const failureQueries = {
  failures: ({ label, ...filter }: FailureFilter) =>
    infiniteQueryOptions({
      queryKey: [...keys.failures, 'list', filter, label],
      queryFn: ({ pageParam, signal }) =>
        api.get<Page<Failure>>('/failures', {
          query: { ...filter, ...labelQuery(label), limit: 50, cursor: pageParam },
          signal,
        }),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
      refetchInterval: LIST_EVERY_MS,
    }),
  failure: (id: string) =>
    queryOptions({
      queryKey: [...keys.failures, id],
      queryFn: ({ signal }) => api.get<Failure>(`/failures/${encodeURIComponent(id)}`, { signal }),
      refetchInterval: LIST_EVERY_MS,
    }),
  latestRuns: (failure: string) =>
    queryOptions({
      queryKey: ['runs', 'of-failure', failure],
      queryFn: async ({ signal }) =>
        (await api.get<Page<RunSummary>>('/runs', { query: { failure, limit: 20 }, signal })).items,
      refetchInterval: LIST_EVERY_MS,
    }),
  jobs: queryOptions({
    queryKey: keys.jobs,
    queryFn: async ({ signal }) => (await api.get<Page<ReplayJob>>('/replays', { query: { limit: 5 }, signal })).items,
    refetchInterval: LIST_EVERY_MS,
  }),
  job: (id: string) =>
    queryOptions({
      queryKey: keys.job(id),
      queryFn: ({ signal }) => api.get<ReplayJob>(`/replays/${encodeURIComponent(id)}`, { signal }),
    }),
  preview: (request: ReplayChoice) =>
    queryOptions({
      queryKey: [...keys.jobs, 'preview', request],
      queryFn: ({ signal }) => api.post<ReplayPreview>('/replays', { ...request, dryRun: true }, { signal }),
      staleTime: 0,
    }),
}

export interface ReplayChoice {
  filter: { failure: string | string[]; label?: Record<string, string> }
  from: 'failed' | 'start'
  version: 'same' | 'published' | 'draft'
  pace: number
  again: boolean
}

export function useFailureState(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: { state: FailureState; until?: string }) =>
      api.put<Failure>(`/failures/${encodeURIComponent(id)}`, change),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.failures }),
  })
}

export function useStartReplays(onStarted: (job: ReplayJob) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (request: ReplayChoice) => api.post<ReplayJob>('/replays', request),
    onSuccess: (job) => {
      client.setQueryData(keys.job(job.id), job)
      void client.invalidateQueries({ queryKey: keys.jobs, exact: true })
      onStarted(job)
    },
  })
}

export function useChangeReplays(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: 'pause' | 'resume' | 'cancel') =>
      api.post<ReplayJob>(`/replays/${encodeURIComponent(id)}/${change}`),
    onSuccess: (job) => client.setQueryData(keys.job(id), job),
  })
}
