// The keys of all queries in one place, and how each is fetched. After a change: `queryClient.invalidateQueries({ queryKey: keys.flows })`.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from './api-client.ts'
import type {
  Approval,
  AuditEntry,
  AuthState,
  CallableFlow,
  Connection,
  Delivery,
  DeliveryOutcome,
  Example,
  FailureFlow,
  Flow,
  FlowDocument,
  FlowStats,
  FlowSummary,
  Found,
  InboxEntry,
  Invitation,
  KeysState,
  ListedUser,
  Page,
  Role,
  Run,
  RunStatus,
  RunSummary,
  Sample,
  Sender,
  SenderWithSamples,
  ServiceSettings,
  Stats,
  StepKindInfo,
  TestResults,
  Token,
  Version,
  VersionWithDocument,
} from './api-types.ts'
import { type LabelFilter, labelQuery } from './label-filter.ts'

export interface DeliveryFilter {
  flow?: string | undefined
  outcome?: DeliveryOutcome | undefined
  /** The type of the event, as the sender calls it. */
  event?: string | undefined
  label?: LabelFilter | undefined
}

export interface RunFilter {
  flow?: string | undefined
  status?: RunStatus | undefined
  since?: string | undefined
  until?: string | undefined
  label?: LabelFilter | undefined
}

export const keys = {
  authState: ['auth-state'],
  flows: ['flows'],
  flow: (id: string) => ['flows', id],
  flowStats: ['flow-stats'],
  anyFlow: ['any-flow'],
  stats: (range: Stats['range'], flow: string | undefined) => ['stats', range, flow],
  versions: (id: string) => ['flows', id, 'versions'],
  samples: (id: string) => ['flows', id, 'samples'],
  testResults: (id: string) => ['flows', id, 'test-results'],
  callableFlows: ['flows', 'callable'],
  failureFlow: ['settings', 'failure-flow'],
  senders: ['senders'],
  stepKinds: ['step-kinds'],
  examples: ['examples'],
  settings: ['settings'],
  runs: ['runs'],
  runList: (filter: RunFilter) => ['runs', 'list', filter],
  run: (id: string) => ['runs', id],
  approvals: ['approvals'],
  deliveries: ['deliveries'],
  deliveryList: (filter: DeliveryFilter) => ['deliveries', 'list', filter],
  delivery: (id: string) => ['deliveries', id],
  connections: ['connections'],
  connection: (name: string) => ['connections', name],
  users: ['users'],
  invitations: ['invitations'],
  tokens: ['tokens'],
  roles: ['roles'],
  audit: ['audit'],
  encryptionKeys: ['keys'],
  search: (q: string) => ['search', q],
} as const

/** All pages of a list, one after the other: for lists that people read as a whole. */
async function all<T>(path: string, signal: AbortSignal, query: Record<string, string> = {}): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: Page<T> = await api.get(path, { query: { ...query, limit: 200, cursor }, signal })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor)
  return items
}

const paged = <T>(queryKey: readonly unknown[], path: string, query: Record<string, string | undefined> = {}) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<T>>(path, { query: { ...query, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

/** What changes only with the service's version or settings. */
const FOREVER = { staleTime: Number.POSITIVE_INFINITY }

const withLabel = ({ label, ...filter }: RunFilter | DeliveryFilter) => ({ ...filter, ...labelQuery(label) })

export const queries = {
  authState: queryOptions({
    queryKey: keys.authState,
    queryFn: () => api.get<AuthState>('/api/auth/state'),
    staleTime: 60_000,
  }),
  /** Without their drafts, which are many times larger than what lists show of them. */
  flows: queryOptions({
    queryKey: keys.flows,
    queryFn: ({ signal }) => all<FlowSummary>('/flows', signal, { draft: 'false' }),
  }),
  flow: (id: string) =>
    queryOptions({ queryKey: keys.flow(id), queryFn: ({ signal }) => api.get<Flow>(`/flows/${id}`, { signal }) }),
  flowStats: queryOptions({
    queryKey: keys.flowStats,
    queryFn: ({ signal }) => all<FlowStats>('/flow-stats', signal),
    refetchInterval: 30_000,
  }),
  /** Whether there is a flow at all. */
  anyFlow: queryOptions({
    queryKey: keys.anyFlow,
    queryFn: async ({ signal }) =>
      (await api.get<Page<Flow>>('/flows', { query: { limit: 1 }, signal })).items.length > 0,
  }),
  stats: (range: Stats['range'], flow?: string) =>
    queryOptions({
      queryKey: keys.stats(range, flow),
      queryFn: ({ signal }) => api.get<Stats>('/stats', { query: { range, flow }, signal }),
      refetchInterval: 30_000,
      // Another range takes the place of the one that is shown, without a gap.
      placeholderData: keepPreviousData,
    }),
  senders: queryOptions({
    queryKey: keys.senders,
    queryFn: async ({ signal }) => (await api.get<{ senders: Sender[] }>('/senders', { signal })).senders,
    ...FOREVER,
  }),
  sender: (name: string | null) =>
    queryOptions({
      queryKey: [...keys.senders, name],
      queryFn: ({ signal }) => api.get<SenderWithSamples>(`/senders/${encodeURIComponent(name!)}`, { signal }),
      enabled: name !== null,
      ...FOREVER,
    }),
  versions: (id: string) =>
    queryOptions({
      queryKey: keys.versions(id),
      queryFn: ({ signal }) => all<Version>(`/flows/${id}/versions`, signal),
    }),
  version: (id: string, version: number | null) =>
    queryOptions({
      queryKey: [...keys.versions(id), version],
      queryFn: ({ signal }) => api.get<VersionWithDocument>(`/flows/${id}/versions/${version}`, { signal }),
      enabled: version !== null,
      // A published version never changes.
      staleTime: Number.POSITIVE_INFINITY,
    }),
  callableFlows: queryOptions({
    queryKey: keys.callableFlows,
    queryFn: ({ signal }) => api.get<{ items: CallableFlow[] }>('/callable-flows', { signal }),
  }),
  failureFlow: queryOptions({
    queryKey: keys.failureFlow,
    queryFn: ({ signal }) => api.get<FailureFlow>('/settings/failure-flow', { signal }),
  }),
  samples: (id: string) =>
    queryOptions({
      queryKey: keys.samples(id),
      queryFn: ({ signal }) => api.get<Page<Sample>>(`/flows/${id}/samples`, { signal }),
    }),
  testResults: (id: string) =>
    queryOptions({
      queryKey: keys.testResults(id),
      queryFn: ({ signal }) => api.get<TestResults>(`/flows/${id}/test-results`, { signal }),
    }),
  stepKinds: queryOptions({
    queryKey: keys.stepKinds,
    queryFn: ({ signal }) => api.get<{ items: StepKindInfo[] }>('/step-kinds', { signal }),
    ...FOREVER,
  }),
  examples: queryOptions({
    queryKey: keys.examples,
    queryFn: ({ signal }) => api.get<{ items: Example[] }>('/examples', { signal }),
    ...FOREVER,
  }),
  settings: queryOptions({
    queryKey: keys.settings,
    queryFn: ({ signal }) => api.get<ServiceSettings>('/settings', { signal }),
    ...FOREVER,
  }),
  runs: (filter: RunFilter) => paged<RunSummary>(keys.runList(filter), '/runs', withLabel(filter)),
  /** The open ones, the oldest first. */
  approvals: paged<Approval>(keys.approvals, '/approvals'),
  deliveries: (filter: DeliveryFilter) =>
    paged<InboxEntry>(keys.deliveryList(filter), '/deliveries', withLabel(filter)),
  search: (q: string) =>
    queryOptions({
      queryKey: keys.search(q),
      queryFn: ({ signal }) => api.get<Found>('/search', { query: { q }, signal }),
      // What was found stays while more is typed.
      placeholderData: keepPreviousData,
    }),
  delivery: (id: string) =>
    queryOptions({
      queryKey: keys.delivery(id),
      queryFn: ({ signal }) => api.get<Delivery>(`/deliveries/${encodeURIComponent(id)}`, { signal }),
      ...FOREVER,
    }),
  runDocument: (id: string) =>
    queryOptions({
      queryKey: [...keys.run(id), 'document'],
      queryFn: ({ signal }) => api.get<{ document: FlowDocument }>(`/runs/${id}/document`, { signal }),
      ...FOREVER,
    }),
  run: (id: string) =>
    queryOptions({ queryKey: keys.run(id), queryFn: ({ signal }) => api.get<Run>(`/runs/${id}`, { signal }) }),
  connections: queryOptions({
    queryKey: keys.connections,
    queryFn: ({ signal }) => all<Connection>('/connections', signal),
  }),
  connection: (name: string) =>
    queryOptions({
      queryKey: keys.connection(name),
      queryFn: ({ signal }) => api.get<Connection>(`/connections/${encodeURIComponent(name)}`, { signal }),
    }),
  users: queryOptions({ queryKey: keys.users, queryFn: ({ signal }) => all<ListedUser>('/users', signal) }),
  invitations: queryOptions({
    queryKey: keys.invitations,
    queryFn: ({ signal }) => api.get<{ items: Invitation[] }>('/invitations', { signal }),
  }),
  roles: queryOptions({
    queryKey: keys.roles,
    queryFn: async ({ signal }) => (await api.get<{ items: Role[] }>('/roles', { signal })).items,
  }),
  tokens: queryOptions({ queryKey: keys.tokens, queryFn: ({ signal }) => all<Token>('/tokens', signal) }),
  audit: paged<AuditEntry>(keys.audit, '/audit'),
  encryptionKeys: queryOptions({
    queryKey: keys.encryptionKeys,
    queryFn: ({ signal }) => api.get<KeysState>('/keys', { signal }),
    refetchInterval: ({ state }) => (state.data?.rotation.status === 'running' ? 500 : false),
  }),
}
