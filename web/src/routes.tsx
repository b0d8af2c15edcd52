// Every page and its address. Pages are fetched when they are first opened.
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { queries } from './api/queries.ts'
import { inboxSearch } from './deliveries/model/delivery-filter.ts'
import { editorSearch } from './editor/state/selection.ts'
import { failureSearch } from './failures/failure-search.ts'
import { readListState } from './flows/flow-list.ts'
import { lazyPage } from './lazy-page.ts'
import { overviewSearch } from './overview/overview-search.ts'
import { runSearch } from './runs/model/run-filter.ts'
import { runPageSearch } from './runs/model/run-selection.ts'
import { ErrorPage } from './shell/error-page.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { PagePending } from './shell/page-pending.tsx'
import { Overlays } from './shell/palette/overlays.tsx'
import { Shell } from './shell/shell.tsx'

interface RouterContext {
  queryClient: QueryClient
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  errorComponent: ErrorPage,
  notFoundComponent: NotFoundPage,
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => import('./account/setup-page.tsx'), 'SetupPage'),
})

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyPage(() => import('./account/invite-page.tsx'), 'InvitePage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  /** `to` is where to go afterwards: a path of this site. Anything else is taken away, not only left out. */
  validateSearch: ({ to }: Record<string, unknown>): { to?: string | undefined } => ({
    to: typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : undefined,
  }),
  component: lazyPage(() => import('./account/sign-in-page.tsx'), 'SignInPage'),
})

const twoFactor = createRoute({
  getParentRoute: () => root,
  path: '/two-factor',
  component: lazyPage(() => import('./account/two-factor-page.tsx'), 'TwoFactorPage'),
})

/** Everything that needs a session, in the frame with the rail. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const state = await context.queryClient.ensureQueryData(queries.authState)
    if (state.setup) throw redirect({ to: '/setup' })
    if (!state.user) throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } })
    if (state.twoFactorSetup) throw redirect({ to: '/two-factor' })
  },
  component: () => (
    <>
      <Shell />
      <Overlays />
    </>
  ),
  errorComponent: ErrorPage,
})

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const any = await context.queryClient.fetchQuery(queries.anyFlow)
    throw redirect({ to: any ? '/overview' : '/flows' })
  },
})

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/overview',
  validateSearch: overviewSearch,
  component: lazyPage(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})

const flows = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows',
  validateSearch: readListState,
  /** Asks for the flows while the code of their page is on its way, and for their numbers after them: the rows do not wait for those. */
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(queries.flows).then(() => queryClient.prefetchQuery(queries.flowStats))
  },
  shouldReload: false,
  component: lazyPage(() => import('./flows/flows-page.tsx'), 'FlowsPage'),
})

const newFlow = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/new',
  component: lazyPage(() => import('./flows/new-flow-page.tsx'), 'NewFlowPage'),
})

const importFlow = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/import',
  component: lazyPage(() => import('./flows/import-flow-page.tsx'), 'ImportFlowPage'),
})

const flow = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/$id',
  validateSearch: editorSearch,
  component: lazyPage(() => import('./editor/editor-page.tsx'), 'EditorPage'),
})

const flowRuns = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/$id/runs',
  validateSearch: runSearch,
  component: lazyPage(() => import('./runs/flow-runs-page.tsx'), 'FlowRunsPage'),
})

const flowInbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/$id/inbox',
  validateSearch: inboxSearch,
  component: lazyPage(() => import('./deliveries/flow-inbox-page.tsx'), 'FlowInboxPage'),
})

const flowVersions = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/$id/versions',
  component: lazyPage(() => import('./editor/flow-versions-page.tsx'), 'FlowVersionsPage'),
})

const flowSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/$id/settings',
  component: lazyPage(() => import('./flows/settings/flow-settings-page.tsx'), 'FlowSettingsPage'),
})

const flowStats = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/$id/stats',
  component: lazyPage(() => import('./overview/flow-stats-page.tsx'), 'FlowStatsPage'),
})

const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  validateSearch: runSearch,
  component: lazyPage(() => import('./runs/list/runs-page.tsx'), 'RunsPage'),
})

const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$id',
  validateSearch: runPageSearch,
  component: lazyPage(() => import('./runs/run-page.tsx'), 'RunPage'),
})

const approvals = createRoute({
  getParentRoute: () => signedIn,
  path: '/approvals',
  component: lazyPage(() => import('./approvals/approvals-page.tsx'), 'ApprovalsPage'),
})

const failures = createRoute({
  getParentRoute: () => signedIn,
  path: '/failures',
  validateSearch: failureSearch,
  component: lazyPage(() => import('./failures/failures-page.tsx'), 'FailuresPage'),
})

const failure = createRoute({
  getParentRoute: () => signedIn,
  path: '/failures/$id',
  component: lazyPage(() => import('./failures/failure-page.tsx'), 'FailurePage'),
})

const replay = createRoute({
  getParentRoute: () => signedIn,
  path: '/replays/$id',
  component: lazyPage(() => import('./failures/replay-page.tsx'), 'ReplayPage'),
})

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox',
  validateSearch: inboxSearch,
  component: lazyPage(() => import('./deliveries/inbox-page.tsx'), 'InboxPage'),
})

const connections = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections',
  component: lazyPage(() => import('./connections/connections-page.tsx'), 'ConnectionsPage'),
})

const newConnection = createRoute({
  getParentRoute: () => signedIn,
  // No connection can have this name.
  path: '/connections/-new',
  component: lazyPage(() => import('./connections/new-connection-page.tsx'), 'NewConnectionPage'),
})

const connection = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections/$name',
  component: lazyPage(() => import('./connections/connection-page.tsx'), 'ConnectionPage'),
})

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyPage(() => import('./settings/settings-layout.tsx'), 'SettingsLayout'),
})

const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile' })
  },
})

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/profile',
  component: lazyPage(() => import('./settings/profile-page.tsx'), 'ProfilePage'),
})

const users = createRoute({
  getParentRoute: () => settings,
  path: '/users',
  component: lazyPage(() => import('./settings/access/users-page.tsx'), 'UsersPage'),
})

const tokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  component: lazyPage(() => import('./settings/access/tokens-page.tsx'), 'TokensPage'),
})

const encryptionKeys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyPage(() => import('./settings/keys-page.tsx'), 'KeysPage'),
})

const audit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  component: lazyPage(() => import('./settings/audit-page.tsx'), 'AuditPage'),
})

const alerts = createRoute({
  getParentRoute: () => settings,
  path: '/alerts',
  component: lazyPage(() => import('./settings/alerts/alerts-page.tsx'), 'AlertsPage'),
})

const settingsFailures = createRoute({
  getParentRoute: () => settings,
  path: '/failures',
  component: lazyPage(() => import('./settings/failures-page.tsx'), 'FailureSettingsPage'),
})

const service = createRoute({
  getParentRoute: () => settings,
  path: '/service',
  component: lazyPage(() => import('./settings/service-page.tsx'), 'ServicePage'),
})

/** Whatever no other page has, in the frame. */
const nothing = createRoute({
  getParentRoute: () => signedIn,
  path: '$',
  component: NotFoundPage,
})

const routeTree = root.addChildren([
  setup,
  invite,
  signIn,
  twoFactor,
  signedIn.addChildren([
    home,
    overview,
    flows,
    newFlow,
    importFlow,
    flow,
    flowRuns,
    flowInbox,
    flowVersions,
    flowSettings,
    flowStats,
    runs,
    run,
    approvals,
    failures,
    failure,
    replay,
    inbox,
    connections,
    newConnection,
    connection,
    nothing,
    settings.addChildren([
      settingsHome,
      profile,
      users,
      tokens,
      encryptionKeys,
      audit,
      alerts,
      settingsFailures,
      service,
    ]),
  ]),
])

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: PagePending,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
  // The first page's code comes while the service is asked who is signed in.
  for (const { options } of router.getMatchedRoutes(router.latestLocation.pathname)[0])
    void options.component?.preload?.()
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
