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
import { editorSearch } from './editor/selection.ts'
import { queries } from './queries.ts'
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
  component: lazyRouteComponent(() => import('./flows/flows-page.tsx'), 'FlowsPage'),
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
  component: lazyRouteComponent(() => import('./runs/runs-page.tsx'), 'RunsPage'),
})

const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('./runs/run-page.tsx'), 'RunPage'),
})

const routeTree = root.addChildren([setup, invite, signIn, signedIn.addChildren([home, flows, flow, runs, run])])

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
