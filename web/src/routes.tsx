// Every page and its address. Pages are fetched when they are first opened.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { inboxSearch } from './deliveries/model/delivery-filter.ts'
import { editorSearch } from './editor/selection.ts'
import { readListState } from './flows/flow-list.ts'
import { queries } from './queries.ts'
import { runSearch } from './runs/model/run-filter.ts'
import { runPageSearch } from './runs/model/run-selection.ts'
import { ErrorPage } from './shell/error-page.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
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
  component: lazyRouteComponent(() => import('./account/setup-page.tsx'), 'SetupPage'),
})

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyRouteComponent(() => import('./account/invite-page.tsx'), 'InvitePage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  /** `to` is where to go afterwards: a path of this site, nothing else. */
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search['to'] === 'string' && /^\/(?![/\\])/.test(search['to']) ? { to: search['to'] } : {},
  component: lazyRouteComponent(() => import('./account/sign-in-page.tsx'), 'SignInPage'),
})

/** Everything that needs a session, in the frame with the rail. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const state = await context.queryClient.ensureQueryData(queries.authState)
    if (state.setup) throw redirect({ to: '/setup' })
    if (!state.user) throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } })
  },
  component: Shell,
  errorComponent: ErrorPage,
})

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/flows' })
  },
})

const flows = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows',
  validateSearch: readListState,
  component: lazyRouteComponent(() => import('./flows/flows-page.tsx'), 'FlowsPage'),
})

const newFlow = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/new',
  component: lazyRouteComponent(() => import('./flows/new-flow-page.tsx'), 'NewFlowPage'),
})

const importFlow = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/import',
  component: lazyRouteComponent(() => import('./flows/import-flow-page.tsx'), 'ImportFlowPage'),
})

const flow = createRoute({
  getParentRoute: () => signedIn,
  path: '/flows/$id',
  validateSearch: editorSearch,
  component: lazyRouteComponent(() => import('./editor/editor-page.tsx'), 'EditorPage'),
})

const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./runs/runs-page.tsx'), 'RunsPage'),
})

const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$id',
  validateSearch: runPageSearch,
  component: lazyRouteComponent(() => import('./runs/run-page.tsx'), 'RunPage'),
})

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox',
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import('./deliveries/inbox-page.tsx'), 'InboxPage'),
})

const connections = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections',
  component: lazyRouteComponent(() => import('./connections/connections-page.tsx'), 'ConnectionsPage'),
})

const newConnection = createRoute({
  getParentRoute: () => signedIn,
  // No connection can have this name.
  path: '/connections/-new',
  component: lazyRouteComponent(() => import('./connections/new-connection-page.tsx'), 'NewConnectionPage'),
})

const connection = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections/$name',
  component: lazyRouteComponent(() => import('./connections/connection-page.tsx'), 'ConnectionPage'),
})

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings-layout.tsx'), 'SettingsLayout'),
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
  component: lazyRouteComponent(() => import('./settings/profile-page.tsx'), 'ProfilePage'),
})

const users = createRoute({
  getParentRoute: () => settings,
  path: '/users',
  component: lazyRouteComponent(() => import('./settings/users-page.tsx'), 'UsersPage'),
})

const tokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./settings/tokens-page.tsx'), 'TokensPage'),
})

const encryptionKeys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyRouteComponent(() => import('./settings/keys-page.tsx'), 'KeysPage'),
})

const audit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  component: lazyRouteComponent(() => import('./settings/audit-page.tsx'), 'AuditPage'),
})

const service = createRoute({
  getParentRoute: () => settings,
  path: '/service',
  component: lazyRouteComponent(() => import('./settings/service-page.tsx'), 'ServicePage'),
})

const routeTree = root.addChildren([
  setup,
  invite,
  signIn,
  signedIn.addChildren([
    home,
    flows,
    newFlow,
    importFlow,
    flow,
    runs,
    run,
    inbox,
    connections,
    newConnection,
    connection,
    settings.addChildren([settingsHome, profile, users, tokens, encryptionKeys, audit, service]),
  ]),
])

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
